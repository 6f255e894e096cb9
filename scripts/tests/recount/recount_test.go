package recount

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/importlog"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/pairs"
	"proctor/runner/report/page"
	"proctor/scripts/tests/sharedtest"
)

// elsewhere are the parts of the report that copy the journal's header.
var elsewhere = []string{"run.", "model.", "backend.", "confidence"}

// flat lists the numbers of a decoded report by their path; p-values as decimal logarithms.
func flatNumbers(path string, value any, into map[string]float64) {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			flatNumbers(strings.TrimPrefix(path+"."+key, "."), member, into)
		}
	case []any:
		for i, member := range v {
			flatNumbers(fmt.Sprintf("%s.%d", path, i), member, into)
		}
	case json.Number:
		x, err := v.Float64()
		if err != nil {
			panic(err)
		}
		if into[path] = x; isP(path) {
			into[path] = max(math.Log10(x), leastP)
		}
	}
}

// leastP is the logarithm of a p-value below which a report tells an upper bound.
const leastP = -298

func isP(path string) bool {
	return strings.HasSuffix(path, "p_value") || strings.HasSuffix(path, "p_adjusted")
}

// checkPlainly compares the report of a journal with the figures worked out plainly.
func checkPlainly(t *testing.T, name, path string) {
	t.Helper()
	checkSome(t, name, path, (*plainRun).figures, func(figure string) bool {
		return !slices.ContainsFunc(elsewhere, func(prefix string) bool { return strings.HasPrefix(figure, prefix) })
	})
}

// checkSome compares those of the report's numbers that are wanted.
func checkSome(t *testing.T, name, path string, work func(*plainRun), wanted func(figure string) bool) {
	t.Helper()
	rules := "tiger-strict"
	switch {
	case strings.Contains(name, "direct"):
		rules = "direct"
	case strings.Contains(name, "binary"):
		rules = "binary"
	}
	summary, err := metrics.Open(path, metrics.Options{RuleSet: rules})
	assert.NilError(t, err)
	var out bytes.Buffer
	assert.NilError(t, page.JSON(&out, summary))
	decoder := json.NewDecoder(&out)
	decoder.UseNumber()
	var report map[string]any
	assert.NilError(t, decoder.Decode(&report))
	got := map[string]float64{}
	flatNumbers("", report, got)
	lines, err := os.ReadFile(path)
	assert.NilError(t, err)
	r := readPlainly(lines)
	work(r)
	for path := range r.want {
		if path == "" || path[0] == '.' { // what is no figure of the report
			delete(r.want, path)
		}
	}
	compared := 0
	for path, want := range r.want {
		x, there := got[path]
		if !there {
			t.Errorf("%s: no %s, plainly %.12g", name, path, want)
			continue
		}
		compared++
		if isP(path) {
			want = max(want, leastP)
		}
		if math.Abs(x-want) > 2e-7*max(1, math.Abs(want)) {
			t.Errorf("%s: %s is %.12g, plainly %.12g", name, path, x, want)
		}
	}
	for path := range got {
		_, worked := r.want[path]
		if !worked && wanted(path) {
			t.Errorf("%s: %s = %g is not worked out plainly", name, path, got[path])
		}
	}
	t.Logf("%s: %d figures", name, compared)
}

// cover completes the headline.
func (r *plainRun) cover() {
	r.against()
	r.want["score"] = r.want["headline.value"]
}

// randomRun makes up a run of a task with failures, items without an answer and mixed numbers of options.
func randomRun(task string, random *rand.Rand) (journal.Header, []journal.Record) {
	h := journaltest.Header(task)
	if task != "mmlu_pro_binary" {
		h.RuleSet = "tiger-strict"
	}
	subjects := []string{"biology", "law", "math", "physics"}
	skill := random.Float64()
	var records []journal.Record
	say := func(letters int, gold string) journaltest.Answer {
		switch x := random.Float64(); {
		case x < 0.04:
			return journaltest.Answer{Failed: backends.CauseTimeout}
		case x < 0.08:
			return journaltest.Answer{}
		case x < 0.08+0.9*skill:
			return journaltest.Answer{Letter: gold}
		}
		return journaltest.Answer{Letter: journaltest.Letter(random.IntN(letters))}
	}
	for q := range 24 + random.IntN(40) {
		subject := subjects[random.IntN(4)*random.IntN(4)/3]
		options := 3 + random.IntN(3)
		if task == "mmlu_pro" {
			options = 2 + random.IntN(9)
		}
		gold := random.IntN(options)
		switch task {
		case "mmlu_pro":
			letter := journaltest.Letter(gold)
			records = append(records, journaltest.Record(&h, q, subject, "", options, letter, say(options, letter)))
		case "mmlu_pro_binary":
			for option := range options {
				letter := map[bool]string{true: "A", false: "B"}[option == gold]
				record := journaltest.Record(&h, q, subject, journaltest.Letter(option), 2, letter, say(2, letter))
				record.OptionsOriginal, record.Prompt = options, asked(random)
				records = append(records, record)
			}
		case "mmlu_pro_circular":
			for _, variant := range journaltest.Rotations(options) {
				letter := variant[gold : gold+1]
				records = append(records, journaltest.Record(&h, q, subject, variant, options, letter, say(options, letter)))
			}
		}
	}
	h.Strip = random.IntN(2) == 0
	h.Think = []string{"", "on", "off"}[random.IntN(3)]
	h.Preambles = preambles(subjects)
	h.Thinking = [][]string{nil, {"tags"}, {"tags", "mistral", "harmony"}}[random.IntN(3)]
	for i := range records {
		if r := &records[i]; !r.Failed() {
			r.Text = phrased(r.Text, random)
			r.Stop, r.Text = ended(r.Text, h.Preambles[r.Subject], random)
			if random.IntN(30) == 0 {
				r.Cause = []backends.Cause{backends.CauseThinkUnclosed, backends.CauseLoop}[random.IntN(2)]
			}
			r.Usage.OutputTokens, r.Usage.ThinkingTokens = 1+random.IntN(90), random.IntN(2)
			r.Timing.Decode = time.Duration(1 + random.IntN(400_000_000))
			if random.IntN(9) == 0 {
				r.Finish, r.Cause = backends.FinishLength, backends.CauseLength
			}
		}
	}
	h.Selection.Items, h.Load = len(records)+random.IntN(3), time.Duration(random.IntN(2))*time.Second
	if random.IntN(3) > 0 {
		records = journaltest.InFlight(1+random.IntN(9), records)
		for i := range records {
			records[i].NewTokens += random.IntN(20)
		}
	}
	return h, records
}

// preambles are an instruction and three shots each.
func preambles(subjects []string) map[string]string {
	all := map[string]string{}
	for _, subject := range subjects {
		all[subject] = strings.Repeat("Choose, and think of "+subject+". ", 5) + "\n\n"
		for _, n := range []string{"one", "two", "three"} {
			all[subject] += "Question:\n" + strings.Repeat(n+" ", 20) + "of " + subject + "?\nA. yes\nB. no\nAnswer: the answer is (B).\n\n"
		}
	}
	return all
}

// ended has some texts end at a stop string, and others repeat the beginning of their prompt, a shot of it, or two.
func ended(text, preamble string, random *rand.Rand) (stop, ended string) {
	parts := strings.SplitAfter(preamble, "\n\n")
	switch random.IntN(40) {
	case 0, 1, 2:
		return "Question:", text
	case 3:
		return "", "\n" + preamble + text
	case 4:
		return "", text + "\n\n" + parts[1] + parts[3]
	case 5:
		return "", parts[1] + text
	}
	return "", text
}

// phrased says a text's letter X in one of many ways, beside another one O; some begin or end in thinking, or go on after a stop string.
func phrased(text string, random *rand.Rand) string {
	_, letter, found := strings.Cut(text, "(")
	if !found || random.IntN(2) > 0 {
		return text
	}
	answers := []string{
		"ANSWER: X", "Answer: X, not O", "answer: XO", "\nFinal answer: **X**\n", "**Answer:** (x)", "- Answer: X or O", "So it is (X).",
		"I think X", "O, no: X", "The correct option is \\boxed{X}", "My choice is most likely **X**.",
		"the answer is (O). No: the answer is X!", "the answer is (X) and (O).", "X", "X\n", "A cell of O, I’d say", " no idea",
		"(X) or (O)", "the answer is (X).", "the answer is (X).",
	}
	around := []string{
		"%", "%", "%", "%\nQuestion: the answer is (O)", "<think>the answer is (O)</think>%",
		"the answer is (O)</think> %",
		"% <think>the answer is (O)",
		"[THINK]Answer: O[/THINK]%", "<|channel|>analysis<|message|>O<|channel|>final<|message|>%",
	}
	text = strings.Replace(around[random.IntN(len(around))], "%", answers[random.IntN(len(answers))], 1)
	return strings.NewReplacer("X", letter[:1], "x", strings.ToLower(letter[:1]), "O", journaltest.Letter(random.IntN(4))).Replace(text)
}

func writeJournal(t *testing.T, h journal.Header, records []journal.Record) string {
	t.Helper()
	return journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records)
}

func TestASecondPlainComputationFindsTheSameFigures(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 14))
	for _, task := range []string{"mmlu_pro", "mmlu_pro_binary", "mmlu_pro_circular"} {
		for i := range sharedtest.Count(3, 8) {
			h, records := randomRun(task, random)
			checkPlainly(t, fmt.Sprintf("%s, journal %d", task, i), writeJournal(t, h, records))
		}
	}
}

func TestASecondPlainComputationOfThePublishedLogs(t *testing.T) {
	sharedtest.NeedThorough(t)
	var paths []string
	var runs []*plainRun
	for _, model := range []string{"Meta-Llama-3-8B", "Phi-3-mini-4k-instruct"} {
		log, err := importlog.Read(sharedtest.Path(t, "data/outputs/model_outputs_"+model+"_5shots.zip"))
		assert.NilError(t, err)
		run := filepath.Join(t.TempDir(), model)
		assert.NilError(t, log.Keep(run))
		checkPlainly(t, model, journal.File(run))
		paths, runs = append(paths, run), append(runs, plainRunOf(t, journal.File(run)))
	}
	c, err := pairs.Of(paths, pairs.Options{RuleSet: "tiger-strict"})
	if err != nil {
		t.Fatal(err)
	}
	if p := &c.Pairs[0]; p.Table.Total() != 12032 || len(p.Subjects) != 14 {
		t.Errorf("%d questions of %d subjects", p.Table.Total(), len(p.Subjects))
	}
	samePair(t, "both", &c.Pairs[0], runs[0], runs[1], 1)
}
