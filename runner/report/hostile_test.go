package report

import (
	"strings"
	"testing"

	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/chromiumtest"
)

// hostile are completions that a page must show and never obey.
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
	if text := p.Text("h1"); !strings.Contains(text, `<img src=x onerror=alert("model")>\u202e`) {
		t.Errorf("the title is %q", text)
	}
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
			if !strings.Contains(text, want(hostile[other])) {
				t.Errorf("item %d does not show %q", i, hostile[other])
			}
		}
	}
	last := chromiumtest.Ask[int](p, `document.querySelector(".item").textContent.length`)
	if last > 300_000 {
		t.Errorf("%d characters of the longest completion are laid out at once", last)
	}
	if marked := p.Text(".item mark"); marked != "answer is (A" {
		t.Errorf("of the longest completion %q is marked", marked)
	}
	chromiumtest.Ask[bool](p, `(document.querySelector(".item pre button").click(), true)`)
	if all := chromiumtest.Ask[int](p, `document.querySelector(".item").textContent.length`); all < 1<<20 {
		t.Errorf("all of the longest completion are %d characters", all)
	}
	p.Silent()
}

// A script that gets into the document in spite of everything is not run.
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
	if strings.Contains(said, "dialog") || strings.Count(said, "Content Security Policy") < 3 {
		t.Errorf("the page said %s", said)
	}
}
