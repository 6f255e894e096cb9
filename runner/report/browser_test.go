package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/items"
	"proctor/scripts/tests/chromiumtest"
	"proctor/scripts/tests/sharedtest"
)

// opened shows the report of a made-up run in a browser.
func opened(t testing.TB, h journal.Header, records []journal.Record, place string, w chromiumtest.Window) (*chromiumtest.Page, string) {
	t.Helper()
	dir := t.TempDir()
	run := journaltest.Keep(t, filepath.Join(dir, "journal.jsonl"), h, records)
	file := filepath.Join(dir, "report.html")
	assert.NilError(t, os.WriteFile(file, []byte(keptPage(t, run)), 0o644))
	p := chromiumtest.Open(t, file, place, w)
	p.Wait(`document.querySelector("#items.ready")`)
	return p, run
}

func TestFiltersShowTheItemsThatListsHave(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	records[1].Text = "Answer: A"
	p, run := opened(t, h, records, "", chromiumtest.Window{})
	list, err := items.Open([]string{run}, items.Options{})
	assert.NilError(t, err)
	defer list.Close()
	for _, row := range []struct {
		name, value string
		has         func(*items.Row) bool
	}{
		{"subject", "law", func(r *items.Row) bool { return r.Subject == "law" }},
		{"outcome", "right", func(r *items.Row) bool { return r.Correct }},
		{"outcome", "not right", func(r *items.Row) bool { return !r.Correct }},
		{"outcome", "NO_ANSWER", func(r *items.Row) bool { return r.Tag == "NO_ANSWER" }},
		{"cause", "LENGTH", func(r *items.Row) bool { return r.Cause == "LENGTH" }},
		{"cause", "TIMEOUT", func(r *items.Row) bool { return r.Cause == "TIMEOUT" }},
		{"letter", "A", func(r *items.Row) bool { return r.ParsedAnswer == "A" }},
		{"gold", "C", func(r *items.Row) bool { return r.Expected == "C" }},
		{"rule", "answer-is", func(r *items.Row) bool { return r.Rule == "answer-is" }},
	} {
		want := 0
		for item, err := range list.Rows() {
			assert.NilError(t, err)
			if row.has(item) {
				want++
			}
		}
		p.Choose(row.name, row.value)
		got := p.Counted()
		assert.Check(t, got == want && want != 0, "%s %s shows %d items, the list has %d", row.name, row.value, got, want)
		assert.Check(t, is.Contains(chromiumtest.Ask[string](p, `location.hash`), row.name+"="), "the address")
		p.Choose(row.name, "")
	}
	p.Choose("subject", "law")
	p.Choose("outcome", "right")
	both := p.Counted()
	chromiumtest.Ask[bool](p, `(document.querySelector("button.clear").click(), true)`)
	all := p.Counted()
	assert.Check(t, all == len(records) && both < all && both != 0, "two filters show %d items, none %d of %d", both, all, len(records))
	p.Silent()
}

func TestItemsAreFoundByKeysLinksAndWords(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	records[11].Text = " a needle: the answer is (A)."
	records[12].Prompt = "Another Needle, in the question?"
	h.Preambles = map[string]string{"biology": "Five shots."}
	p, _ := opened(t, h, records, "item=mmlu_pro%2F112", chromiumtest.Window{})
	p.Wait(`document.querySelector(".item h3")?.textContent === "mmlu_pro/112"`)
	text := p.Text(".item")
	assert.Check(t, strings.Contains(text, "Needle, in the question?") && strings.Contains(text, "answer-is"), "the item shows %q", text)
	assert.Check(t, is.Contains(p.Text(".item mark"), "answer is ("))
	assert.Check(t, is.Equal(p.Text("[role=row][aria-selected=true] .id"), "112"))
	first := p.Text("[role=row][aria-rowindex='2'] .id")
	p.Walk(kb.Home)
	assert.Check(t, is.Equal(p.Text(".item h3"), "mmlu_pro/"+first))
	p.Walk(kb.ArrowDown, kb.End, "k")
	p.Search("needle")
	p.Wait(`document.querySelector("[role=status]").textContent.startsWith("2 of")`)
	chromiumtest.Ask[bool](p, `(location.hash = "#outcome=NO_ANSWER", true)`)
	p.Wait(`document.querySelector("select[name=outcome]").value === "NO_ANSWER"`)
	assert.Check(t, is.Equal(p.Counted(), 5), "a link to a tag")
	chromiumtest.Ask[bool](p, `(location.hash = "#item=mmlu_pro%2F9999", true)`)
	p.Wait(`document.querySelector(".item").textContent.includes("there is no item mmlu_pro/9999")`)
	p.Silent()
}

// windows are the sizes to test: a phone, a workstation, and some between.
var windows = []chromiumtest.Window{{Width: 390, Height: 844, Dark: true}, {}, {Width: 1000, Height: 800}, {Width: 360, Height: 740}}

func TestAReportOpensFromDiskAndCanBeReadByEverybody(t *testing.T) {
	for name, run := range journaltest.Examples() {
		for _, w := range sharedtest.Few(1, windows) {
			t.Run(fmt.Sprintf("%s in %d pixels", name, w.Width), func(t *testing.T) {
				h, records := run()
				p, _ := opened(t, h, records, "item="+records[4].ID, w)
				p.Wait(`document.querySelector(".item h3")`)
				p.Readable(w)
				p.Selected(len(records))
				p.Keep(fmt.Sprintf("%s-%d", name, w.Width))
				p.Silent()
			})
		}
	}
}

func TestABrowserFollowsTheRunToItsEnd(t *testing.T) {
	h, records := journaltest.MCQ(60, func(_, _ int,
		gold string) journaltest.Answer {
		return journaltest.Answer{Letter: gold}
	})
	h.Selection.Items = 60
	folder := t.TempDir()
	journaltest.Keep(t, filepath.Join(folder, "journal.jsonl"), h, records[:20])
	written := func(more []journal.Record, save func(s *metrics.Summary) error) {
		writer, _, err := journaltest.Resume(folder, h)
		assert.NilError(t, err)
		for _, r := range more {
			assert.NilError(t, writer.Append(r))
		}
		assert.NilError(t, writer.Close())
		s, err := metrics.Open(folder, metrics.Options{})
		assert.NilError(t, err)
		assert.NilError(t, save(s))
	}
	running := func(s *metrics.Summary) error { return SaveRunning(folder, s, 400*time.Millisecond) }
	written(nil, running)
	p := chromiumtest.Open(t, Path(folder, ".html"), "subject=law", chromiumtest.Window{})
	p.Wait(`document.title.includes("20 questions") && !document.querySelector("#items")`)
	chromiumtest.Ask[bool](p, `(scrollTo(0, 300), true)`)
	written(records[20:40], running)
	p.Wait(`document.title.includes("40 questions") && document.readyState === "complete"`)
	p.Wait(`scrollY === 300`)
	written(records[40:], func(s *metrics.Summary) error { return Save(folder, s) })
	p.Wait(`document.title.includes("60 questions") && document.querySelector("#items.ready")`)
	p.Wait(`scrollY > 100`) // the text in view stays, below fewer lines
	law := p.Counted()
	place := chromiumtest.Ask[string](p, `location.hash`)
	assert.Check(t, law > 0 && law < 60 && place == "#subject=law", "%d items in the list at %q", law, place)
	stays := chromiumtest.Ask[bool](p,
		`(document.body.dataset.seen = "", new Promise((on) => setTimeout(() => on(true), 1000)))`)
	assert.Check(t, stays && chromiumtest.Ask[bool](p, `document.body.dataset.seen === ""`),
		"the final report loads itself anew")
	p.Silent()
}

// hostile are completions that a page must show and never run.
var hostile = []string{
	`<script>alert("script")</script> the answer is (A).`,
	`</script><script>alert("closed")</script> the answer is (A).`,
	`<img src=x onerror=alert("img")><svg onload=alert("svg")><iframe src="javascript:alert('frame')"></iframe>`,
	`<style>body{display:none}</style><base href="http://127.0.0.1:9/"><meta http-equiv=refresh content="0;url=http://127.0.0.1:9/">`,
	"\x1b[2J\x1b[31mred\x1b]0;title\x07 the answer is (B).",
	"\u202eesrever\u202c \u2066isolated\u2069 \u200b\ufeff\u2028\u2029 the answer is (C).",
	"a NUL \x00 and a broken byte \ufffd, the answer is (A).",
	`{{.}} ${alert("template")} javascript:alert(1) ]]> --> the answer is (A).`,
	strings.Repeat("a", 1<<20) + " the answer is (A).",
}

func TestHostileTextsAreShownAndNotObeyed(t *testing.T) {
	h, records := journaltest.MCQ(len(hostile), func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	h.Model.Name = `<img src=x onerror=alert("model")>` + "\u202e"
	h.Model.FileSHA256 = `"><script>alert("sum")</script>`
	h.Notes = []string{`<script>alert("note")</script>`}
	h.Preambles = map[string]string{}
	for i, text := range hostile {
		r := &records[i]
		r.Subject = `<b onclick=alert("subject")>` + "\u202elaw</b>" + string(rune('a'+i%2))
		r.Text, r.Prompt, r.Question, r.Server, r.Options = text, hostile[(i+1)%8], hostile[(i+2)%8], hostile[(i+3)%8], 3
		r.Gold, r.OptionTexts = "A", []string{hostile[(i+4)%8], hostile[(i+5)%8], hostile[(i+6)%8]}
		h.Preambles[r.Subject] = hostile[(i+7)%8]
	}
	records[3].Finish, records[3].Cause, records[3].Error = "error", "TIMEOUT", hostile[2]
	p, _ := opened(t, h, records, "", chromiumtest.Window{})
	assert.Check(t, is.Contains(p.Text("h1"), `<img src=x onerror=alert("model")>\u202e`))
	for i, r := range records {
		chromiumtest.Ask[bool](p, `(location.hash = "#" + new URLSearchParams({item: "`+r.ID+`"}), true)`)
		p.Wait(`document.querySelector(".item h3")?.textContent === "` + r.ID + `"`)
		chromiumtest.Ask[bool](p, `(document.querySelector(".item summary").click(), true)`)
		p.Wait(`document.querySelectorAll(".item details pre").length === 1`)
		text := chromiumtest.Ask[string](p, `document.querySelector(".item").textContent`)
		want := strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`, "\x00", `\u0000`, "\u202e", `\u202e`, "\u202c", `\u202c`,
			"\u2066", `\u2066`, "\u2069", `\u2069`, "\u200b", `\u200b`, "\ufeff", `\ufeff`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace
		if shown := want(hostile[i]); len(shown) < 1000 && !strings.Contains(text, shown) {
			t.Errorf("the completion %q is not shown: %.300q", hostile[i], text)
		}
		for _, other := range []int{(i + 1) % 8, (i + 4) % 8, (i + 5) % 8, (i + 6) % 8, 7 - i%2} { // the prompt, the options, the shots
			assert.Check(t, strings.Contains(text, want(hostile[other])), "item %d does not show %q", i, hostile[other])
		}
	}
	last := chromiumtest.Ask[int](p, `document.querySelector(".item").textContent.length`)
	assert.Check(t, last <= 300_000, "%d characters of the longest completion are laid out at once", last)
	assert.Check(t, is.Equal(p.Text(".item mark"), "answer is (A"), "of the longest completion")
	chromiumtest.Ask[bool](p, `(document.querySelector(".item pre button").click(), true)`)
	all := chromiumtest.Ask[int](p, `document.querySelector(".item").textContent.length`)
	assert.Check(t, all >= 1<<20, "all of the longest completion are %d characters", all)
	p.Silent()
}

// A foreign script that gets into the document anyway must not run.
func TestThePolicyKeepsOthersScriptsFromRunning(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	p, _ := opened(t, h, records, "", chromiumtest.Window{})
	chromiumtest.Ask[bool](p, `(() => {
		const place = document.querySelector("main");
		place.insertAdjacentHTML("beforeend", "<img src=x onerror=alert(1)><p style='color:red'>x</p>");
		const script = document.createElement("script"); script.textContent = "alert(2)"; place.append(script);
		return true; })()`)
	p.Wait(`true`)
	said := strings.Join(p.Said(), "\n")
	assert.Check(t, !strings.Contains(said, "dialog") && strings.Count(said, "Content Security Policy") >= 3, "the page said %s", said)
}
