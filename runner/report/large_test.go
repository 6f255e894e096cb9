package report

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
	"proctor/runner/journal/importlog"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/chromiumtest"
	"proctor/scripts/tests/sharedtest"
)

// limits are the limits of a large report: its size in bytes, and times in milliseconds.
type limits struct {
	size int
	chromiumtest.Times
}

// measured checks a report's size and, with LONG=1, its times by the browser's own clock. For the filters the median counts.
func measured(t *testing.T, run string, most limits) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	content := keptPage(t, run)
	assert.NilError(t, os.WriteFile(file, []byte(content), 0o644))
	p := chromiumtest.Open(t, file, "", chromiumtest.Window{})
	p.Wait(`document.querySelector("#items.ready")`)
	took := p.Times("subject", "outcome", "letter")
	for _, column := range []string{"answer", "id", "answer"} {
		chromiumtest.Ask[bool](p, `(document.querySelector("[role=columnheader].`+column+` button").click(), true)`)
	}
	rows := chromiumtest.Ask[int](p, `document.querySelectorAll(".room [role=row]").length`)
	t.Logf("%.1f MB, %d rows in the document", float64(len(content))/1e6, rows)
	slow := os.Getenv("LONG") != "" && (took.Paint > most.Paint || took.Ready > most.Ready || took.Filter > most.Filter)
	assert.Check(t, !slow && len(content) <= most.size && rows <= 100, "that is more than %+v", most)
	p.Silent()
}

func TestAPublishedLogOpensAtOnce(t *testing.T) {
	sharedtest.NeedThorough(t)
	log, err := importlog.Read(sharedtest.Path(t, "data/outputs/model_outputs_Meta-Llama-3-8B_5shots.zip"))
	assert.NilError(t, err)
	run := filepath.Join(t.TempDir(), "run")
	assert.NilError(t, log.Keep(run))
	measured(t, run, limits{25e6, chromiumtest.Times{Paint: 1000, Ready: 2000, Filter: 100}})
}

// A whole run of MMLU-Pro Binary has 113,992 items. Their completions are made up here, of about 60 words each.
func TestAWholeBinaryRunOpens(t *testing.T) {
	if os.Getenv("LONG") == "" {
		t.Skip("writes 113,992 items: LONG=1 asks for it")
	}
	vocabulary := strings.Fields(strings.Repeat("because this option says that force equals mass times acceleration while "+
		"the question asks about velocity so we first find energy then compare both values and reject what does not follow ", 1))
	source := rand.New(rand.NewPCG(1, 2))
	words := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, " %s%.0d", vocabulary[source.IntN(len(vocabulary))], source.IntN(4)/3*source.IntN(1000))
		}
		return b.String()
	}
	h := journaltest.Header("mmlu_pro_binary")
	var records []journal.Record
	for q := 0; len(records) < 113_992; q++ {
		question := "Question:" + words(45)
		for option := range 9 + q%2 {
			gold, said := "B", "B"
			if option == q%9 {
				gold = "A"
			}
			if source.IntN(3) == 0 {
				said = "A"
			}
			r := journaltest.Record(&h, q, fmt.Sprintf("subject %02d", q%14), journaltest.Letter(option), 2, gold,
				journaltest.Answer{Letter: said})
			r.OptionsOriginal, r.Prompt, r.Text = 9+q%2, question+"\nIs"+words(6)+" the answer?", words(60)+r.Text
			if records = append(records, r); len(records) == 113_992 {
				break
			}
		}
	}
	records = journaltest.InFlight(64, records)
	run := journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records)
	measured(t, run, limits{40e6, chromiumtest.Times{Paint: 1000, Ready: 3000, Filter: 100}})
}

// A whole run of MMLU-Pro by a model that thinks for 30,000 tokens a question is a journal of 1.4 GB. Its page has the ends of the
// thinking, folded.
func TestAWholeRunThatThinksLongOpens(t *testing.T) {
	if os.Getenv("LONG") == "" {
		t.Skip("writes 1.4 GB: LONG=1 asks for it")
	}
	source := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields("so we first note that wait the force equals mass times this option but then again hmm let me compute it once more")
	var thought strings.Builder
	for thought.Len() < 1<<20 {
		fmt.Fprintf(&thought, "%s%d ", words[source.IntN(len(words))], source.IntN(1000))
	}
	h, records := journaltest.MCQ(12_032, func(q, _ int, gold string) journaltest.Answer {
		if q%3 == 0 {
			return journaltest.Answer{Letter: "A"}
		}
		return journaltest.Answer{Letter: gold}
	})
	h.Strip, h.PromptMode = true, "chat"
	for i := range records {
		r := &records[i]
		from := source.IntN(thought.Len() - 120_000)
		r.Text = "<think>" + thought.String()[from:from+120_000] + "</think>" + r.Text
		r.Usage.ThinkingTokens, r.Usage.OutputTokens = 30_000, 30_020
	}
	run := journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records)
	measured(t, run, limits{150e6, chromiumtest.Times{Paint: 2000, Ready: 5000, Filter: 100}})
}
