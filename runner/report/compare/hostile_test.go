package compare

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/journal/importlog"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/scripts/tests/chromiumtest"
	"proctor/scripts/tests/sharedtest"
)

// hostile are completions that a page must show and never obey.
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
		if len(text) > 600_000 {
			t.Errorf("%d characters are laid out at once", len(text))
		}
	}
	if title := p.Text(".verdict"); !strings.Contains(title, `<img src=x onerror=alert("a")>`) {
		t.Errorf("the verdict is %q", title)
	}
	p.Silent()
}

// Two published logs of 12,032 items each, of which more than half got another answer.
func TestAComparisonOfPublishedLogsOpensAtOnce(t *testing.T) {
	var runs []string
	for _, name := range []string{"Meta-Llama-3-8B", "Phi-3-mini-4k-instruct"} {
		log, err := importlog.Read(sharedtest.Path(t, "data/outputs/model_outputs_"+name+"_5shots.zip"))
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, t.TempDir()+"/"+name)
		if err := log.Keep(runs[len(runs)-1]); err != nil {
			t.Fatal(err)
		}
	}
	c, err := pairs.Of(runs, pairs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := writeHTML(&text, c); err != nil {
		t.Fatal(err)
	}
	size := text.Len()
	p := shown(t, text.String(), "", chromiumtest.Window{Width: 1280, Height: 1500})
	ready := chromiumtest.Ask[float64](p, `performance.getEntriesByName("ready")[0].startTime`)
	paint := chromiumtest.Ask[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
	for _, name := range []string{"change", "subject", "gold", "b"} {
		values := chromiumtest.Ask[[]string](p, `[...document.querySelector("select[name=`+name+`]").options].map((o) => o.value)`)
		for _, value := range values {
			p.Choose(name, value)
		}
		p.Choose(name, "")
	}
	filters := chromiumtest.Ask[[]float64](p, `performance.getEntriesByName("filtered").map((e) => e.duration)`)
	slices.Sort(filters)
	median := filters[len(filters)/2]
	t.Logf("%s: %.1f MB, first paint %.0f ms, open %.0f ms, a filter %.1f ms (of %d, the slowest %.1f ms)", p.Text("[role=status]"),
		float64(size)/1e6, paint, ready, median, len(filters), filters[len(filters)-1])
	if slow := os.Getenv("LONG") != "" && (paint > 1000 || ready > 2000 || median > 100); slow || size > 50e6 {
		t.Error("that is more than it may take")
	}
	p.Choose("change", "right_to_wrong")
	if got := p.Counted(); got != c.Pairs[0].RightToWrong || got < 500 {
		t.Errorf("%d flips, the comparison has %d", got, c.Pairs[0].RightToWrong)
	}
	chromiumtest.Ask[bool](p, `(scrollTo(0, 0), true)`)
	p.Keep("compare-published")
	p.Silent()
}
