package compare

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/journal"
	"proctor/runner/journal/importlog"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/scripts/tests/chromiumtest"
	"proctor/scripts/tests/sharedtest"
)

// opened shows the comparison of made-up runs in a browser.
func opened(t testing.TB, o pairs.Options, place string, w chromiumtest.Window, runs ...pairstest.Run) (*chromiumtest.Page, *pairs.Comparison) {
	t.Helper()
	c, text := written(t, t.TempDir(), o, runs...)
	return shown(t, text, place, w), c
}

// shown opens a document in a browser.
func shown(t testing.TB, text, place string, w chromiumtest.Window) *chromiumtest.Page {
	t.Helper()
	file := filepath.Join(t.TempDir(), "comparison.html")
	assert.NilError(t, os.WriteFile(file, []byte(text), 0o644))
	p := chromiumtest.Open(t, file, place, w)
	p.Wait(`document.querySelector("#flips.ready, #flips:not(.browser)")`)
	return p
}

func TestAComparisonOpensFromDiskAndCanBeReadByEverybody(t *testing.T) {
	for name, x := range examples(t) {
		for _, w := range sharedtest.Few(1, []chromiumtest.Window{{Width: 390, Height: 2600, Dark: true}, {Width: 1000, Height: 800},
			{Width: 1280, Height: 2600}}) {
			t.Run(fmt.Sprintf("%s in %d pixels", name, w.Width), func(t *testing.T) {
				p, _ := opened(t, x.o, "", w, x.runs...)
				p.Keep(fmt.Sprintf("compare-%s-%d-top", name, w.Width))
				if name != "alike" {
					rows := p.Counted()
					chromiumtest.Ask[bool](p, `(document.querySelector("[role=grid]").focus(), true)`)
					p.Key(kb.Home)
					p.Wait(`document.querySelector(".item .sides")`)
					p.Selected(rows)
				}
				p.Readable(w)
				chromiumtest.Ask[bool](p, `(document.querySelector("#flips").scrollIntoView(), true)`)
				p.Keep(fmt.Sprintf("compare-%s-%d", name, w.Width))
				p.Silent()
			})
		}
	}
}

func TestFiltersShowTheFlipsThatAComparisonCounts(t *testing.T) {
	x := examples(t)["three"]
	for i := range 8 { // one that B had wrong is right, and one has another wrong letter
		x.runs[2].Records[392+i].Text = []string{"the answer is (A)", "the answer is (D)"}[i%2]
	}
	p, c := opened(t, x.o, "", chromiumtest.Window{}, x.runs...)
	all := 0
	for i := range c.Pairs {
		pair := &c.Pairs[i]
		p.Choose("run", pair.B)
		for value, want := range map[string]int{"right_to_wrong": pair.RightToWrong, "wrong_to_right": pair.WrongToRight,
			"flips": pair.RightToWrong + pair.WrongToRight} {
			p.Choose("change", value)
			assert.Check(t, is.Equal(p.Counted(), want), "%s %s", pair.B, value)
		}
		p.Choose("change", "")
		changed := int(pair.AnswerChanged.Or(0)*float64(pair.Items) + 0.5)
		got := p.Counted()
		assert.Check(t, got == changed && got != 0, "%s: %d changed answers, the comparison has %d", pair.B, got, changed)
		all += changed
	}
	p.Choose("run", "")
	assert.Check(t, is.Equal(p.Counted(), all))
	assert.Check(t, is.Contains(p.Text("[role=row][aria-rowindex='2'] .change"), "✓ → ✗"))
	p.Silent()
}

func TestFlipsAreFoundByKeysLinksAndWords(t *testing.T) {
	x := examples(t)["two"]
	x.runs[0].Records[3].Text = "Both begin alike, then Alpha. the answer is (D)"
	x.runs[1].Records[3].Text = "Both begin alike, then Beta comes: the answer is (A)"
	p, _ := opened(t, x.o, "item=mmlu_pro%2F3", chromiumtest.Window{}, x.runs...)
	p.Wait(`document.querySelector(".item h3")?.textContent === "mmlu_pro/3"`)
	assert.Check(t, is.Equal(p.Text(".item .parts"), "Alpha.\nBeta"))
	assert.Check(t, is.Equal(p.Text(".item .same"), "Both begin alike, then \nBoth begin alike, then "))
	assert.Check(t, is.Equal(p.Text(".item mark"), "answer is (D\nanswer is (A"))
	assert.Check(t, is.Contains(p.Text(".departs"), "the same for 23 characters"))
	p.Walk(kb.End, kb.Home, kb.ArrowDown, "k")
	p.Search("beta comes")
	p.Wait(`document.querySelector("[role=status]").textContent.startsWith("1 of")`)
	chromiumtest.Ask[bool](p, `(location.hash = "#item=mmlu_pro%2F9999", true)`)
	p.Wait(`document.querySelector(".item").textContent.includes("there is no item mmlu_pro/9999")`)
	p.Silent()
}

// hostile are completions that a page must show and never run.
var hostile = []string{
	`<script>alert("script")</script>`, `</script><script>alert("closed")</script>`,
	`<img src=x onerror=alert("img")><svg onload=alert("svg")><iframe src="javascript:alert('frame')"></iframe>`,
	`<style>body{display:none}</style><base href="http://127.0.0.1:9/"><meta http-equiv=refresh content="0;url=http://127.0.0.1:9/">`,
	"\x1b[2J\x1b[31mred\x07 \u202eesrever\u202c \u200b\ufeff\u2028 a NUL \x00 and a broken byte \ufffd",
	strings.Repeat("a", 1<<20),
}

func TestHostileRunsAreShownAndNotObeyed(t *testing.T) {
	a, b := pairstest.MCQ("Q8_0", len(hostile), func(int) bool { return true }), pairstest.MCQ("Q4_K_M", len(hostile), func(int) bool { return false })
	a.Header.Model.Name, b.Header.Model.Name = `<img src=x onerror=alert("a")>`, `"><script>alert("b")</script>`+"\u202e"
	for i, text := range hostile {
		for _, r := range []*pairstest.Run{&a, &b} {
			rec := &r.Records[i]
			rec.Subject = `<b onclick=alert("subject")>` + "\u202elaw</b>"
			rec.Prompt, rec.Question, rec.Text = hostile[(i+1)%5], hostile[(i+2)%5], text+" "+rec.Text+" "+text
			rec.OptionTexts = []string{hostile[0], hostile[1], hostile[2], hostile[3]}
		}
		b.Records[i].Text = text + hostile[(i+1)%5] + " " + b.Records[i].Text
	}
	a.Header.Preambles = map[string]string{a.Records[0].Subject: hostile[1]}
	p, c := opened(t, pairs.Options{}, "", chromiumtest.Window{}, timed(a, b)...)
	visible := strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`, "\x00", `\u0000`, "\u202e", `\u202e`, "\u202c", `\u202c`,
		"\u200b", `\u200b`, "\ufeff", `\ufeff`, "\u2028", `\u2028`).Replace
	for i, it := range c.Runs[0].Marked.Items {
		chromiumtest.Ask[bool](p, fmt.Sprintf(`(location.hash = "#" + new URLSearchParams({item: %q}), true)`, it.ID))
		p.Wait(fmt.Sprintf(`document.querySelector(".item h3")?.textContent === %q`, it.ID))
		chromiumtest.Ask[bool](p, `(document.querySelector(".item summary").click(), true)`)
		text := chromiumtest.Ask[string](p, `document.querySelector(".item").textContent`)
		of := slices.IndexFunc(a.Records, func(r journal.Record) bool { return r.ID == it.ID })
		if want := visible(hostile[of]); len(want) < 1000 && !strings.Contains(text, want) {
			t.Errorf("item %d: %q is not shown: %.300q", i, want, text)
		}
		assert.Check(t, len(text) <= 600_000, "%d characters are laid out at once", len(text))
	}
	assert.Check(t, is.Contains(p.Text(".verdict"), `<img src=x onerror=alert("a")>`))
	p.Silent()
}

// Two published logs of 12,032 items each; more than half of the answers differ.
func TestAComparisonOfPublishedLogsOpensAtOnce(t *testing.T) {
	sharedtest.NeedThorough(t)
	var runs []string
	for _, name := range []string{"Meta-Llama-3-8B", "Phi-3-mini-4k-instruct"} {
		log, err := importlog.Read(sharedtest.Path(t, "data/outputs/model_outputs_"+name+"_5shots.zip"))
		assert.NilError(t, err)
		runs = append(runs, t.TempDir()+"/"+name)
		assert.NilError(t, log.Keep(runs[len(runs)-1]))
	}
	c, err := pairs.Of(runs, pairs.Options{})
	assert.NilError(t, err)
	var text strings.Builder
	assert.NilError(t, writeHTML(&text, c))
	size := text.Len()
	p := shown(t, text.String(), "", chromiumtest.Window{Width: 1280, Height: 1500})
	took := p.Times("change", "subject", "gold", "b")
	slow := os.Getenv("LONG") != "" && (took.Paint > 1000 || took.Ready > 2000 || took.Filter > 100)
	assert.Check(t, !slow && size <= 50e6, "that is more than it may take: %.1f MB", float64(size)/1e6)
	p.Choose("change", "right_to_wrong")
	got := p.Counted()
	assert.Check(t, got == c.Pairs[0].RightToWrong && got >= 500, "%d flips, the comparison has %d", got, c.Pairs[0].RightToWrong)
	chromiumtest.Ask[bool](p, `(scrollTo(0, 0), true)`)
	p.Keep("compare-published")
	p.Silent()
}
