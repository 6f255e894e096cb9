package compare

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/scripts/tests/chromiumtest"
	"proctor/scripts/tests/sharedtest"
)

// opened is the comparison of made-up runs as a browser shows it.
func opened(t testing.TB, o pairs.Options, place string, w chromiumtest.Window, runs ...pairstest.Run) (*chromiumtest.Page, *pairs.Comparison) {
	t.Helper()
	c, text := written(t, t.TempDir(), o, runs...)
	return shown(t, text, place, w), c
}

// shown is a document as a browser shows it.
func shown(t testing.TB, text, place string, w chromiumtest.Window) *chromiumtest.Page {
	t.Helper()
	file := filepath.Join(t.TempDir(), "comparison.html")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
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
			if got := p.Counted(); got != want {
				t.Errorf("%s %s: %d, the comparison has %d", pair.B, value, got, want)
			}
		}
		p.Choose("change", "")
		changed := int(pair.AnswerChanged.Or(0)*float64(pair.Items) + 0.5)
		if got := p.Counted(); got != changed || got == 0 {
			t.Errorf("%s: %d changed answers, the comparison has %d", pair.B, got, changed)
		}
		all += changed
	}
	p.Choose("run", "")
	if got := p.Counted(); got != all {
		t.Errorf("%d changed answers of all runs, not %d", got, all)
	}
	first := p.Text("[role=row][aria-rowindex='2'] .change")
	if !strings.HasPrefix(first, "✓ → ✗") {
		t.Errorf("the first row is %q", first)
	}
	p.Silent()
}

func TestFlipsAreFoundByKeysLinksAndWords(t *testing.T) {
	x := examples(t)["two"]
	x.runs[0].Records[3].Text = "Both begin alike, then Alpha. the answer is (D)"
	x.runs[1].Records[3].Text = "Both begin alike, then Beta comes: the answer is (A)"
	p, _ := opened(t, x.o, "item=mmlu_pro%2F3", chromiumtest.Window{}, x.runs...)
	p.Wait(`document.querySelector(".item h3")?.textContent === "mmlu_pro/3"`)
	if parts := p.Text(".item .parts"); parts != "Alpha.\nBeta" {
		t.Errorf("where the completions part is %q", parts)
	}
	if same := p.Text(".item .same"); same != "Both begin alike, then \nBoth begin alike, then " {
		t.Errorf("what they have in common is %q", same)
	}
	if marked := p.Text(".item mark"); marked != "answer is (D\nanswer is (A" {
		t.Errorf("marked as answers are %q", marked)
	}
	if text := p.Text(".departs"); !strings.Contains(text, "the same for 23 characters") {
		t.Errorf("it says %q", text)
	}
	chromiumtest.Ask[bool](p, `(document.querySelector("[role=grid]").focus(), true)`)
	for _, key := range []string{kb.End, kb.Home, kb.ArrowDown, "k"} {
		before := p.Text(".item h3")
		p.Key(key)
		p.Wait(fmt.Sprintf(`document.querySelector(".item h3").textContent !== %q`, before))
		if hash := chromiumtest.Ask[string](p, `new URLSearchParams(location.hash.slice(1)).get("item")`); hash != p.Text(".item h3") {
			t.Errorf("the address has %s for %s", hash, p.Text(".item h3"))
		}
	}
	p.Key("/")
	chromiumtest.Ask[bool](p, `(document.activeElement.select(), true)`)
	p.Key("beta comes")
	p.Wait(`document.querySelector("[role=status]").textContent.startsWith("1 of")`)
	chromiumtest.Ask[bool](p, `(location.hash = "#item=mmlu_pro%2F9999", true)`)
	p.Wait(`document.querySelector(".item").textContent.includes("there is no item mmlu_pro/9999")`)
	p.Silent()
}
