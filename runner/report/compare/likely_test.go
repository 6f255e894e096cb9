package compare

import (
	"math"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/logprobs"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/scripts/tests/chromiumtest"
)

// vocabulary are the texts of made-up tokens; of a character of two bytes each is a token.
var vocabulary = []string{" Both", " begin", " alike", ",", " the answer is (", "A", "B", ")", " \xc3", "\xa9", "\xa8", ""}

// spelled are the tokens of a text.
func spelled(t testing.TB, text string) (tokens []int32) {
	t.Helper()
	text = strings.ReplaceAll(text, "\ufffd", "\xc3") // as a journal has half a character
next:
	for text != "" {
		for i, piece := range vocabulary {
			if rest, has := strings.CutPrefix(text, piece); has && piece != "" {
				text, tokens = rest, append(tokens, int32(i))
				continue next
			}
		}
		t.Fatalf("%q is not spelled", text)
	}
	return append(tokens, int32(len(vocabulary)-1)) // which ends texts
}

// keep writes the log-probabilities of a run's completions beside its journal, and names them in its lines.
func keep(p pairstest.Run, t testing.TB, path string) {
	t.Helper()
	w, _, err := logprobs.Continue(path, *p.Header.Logprobs, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Spell(path, *p.Header.Logprobs, func(token int32) string { return vocabulary[token] }); err != nil {
		t.Fatal(err)
	}
	for i := range p.Records {
		var predictions []backends.Prediction
		for _, token := range p.Tokens(&p.Records[i]) {
			p := backends.Prediction{Token: token, Rest: -20}
			for k := range 6 { // the token itself is the second one, or none of them
				likely := backends.Logprob{Token: (token + int32(k) + 11) % 12, Logprob: math.Log(0.5) * float64(k+1)}
				p.Top = append(p.Top, likely)
			}
			p.Logprob = p.Top[1].Logprob
			predictions = append(predictions, p)
		}
		part, err := w.Append(p.Records[i].ID, predictions)
		if err != nil {
			t.Fatal(err)
		}
		p.Records[i].Logprobs = &part
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestTokensPartWhereTheyDifferWithWhatBothModelsHeldLikeliest(t *testing.T) {
	texts := [2][]string{
		{" Both begin alike, the answer is (A)", " Both begin alike, the answer is (A)", " \u00e9 the answer is (A)",
			" \ufffd, the answer is (A)"},
		{" Both begin alike, the answer is (B)", " Both begin, the answer is (B)", " \u00e8 the answer is (B)",
			" \ufffd alike, the answer is (B)"},
	}
	a, b := pairstest.MCQ("Q8_0", 4, func(int) bool { return true }), pairstest.MCQ("Q4_K_M", 4, func(int) bool { return true })
	for k, run := range []*pairstest.Run{&a, &b} {
		run.Header.Logprobs = &journal.Logprobs{Top: 6, VocabularySHA256: strings.Repeat("ab", 32)}
		run.Tokens = func(r *journal.Record) []int32 { return spelled(t, r.Text) }
		for i := range run.Records {
			run.Records[i].Text = texts[k][i]
		}
	}
	p, _ := opened(t, pairs.Options{}, "", chromiumtest.Window{}, a, b)
	for id, want := range map[string]struct{ parts, departs string }{
		"mmlu_pro/0": {"A\nB", "the same for 34 characters, then Q8_0 has A and Q4_K_M has B"},
		"mmlu_pro/1": {" alike\n,", "the same for 11 characters, then Q8_0 has  alike and Q4_K_M has ,"},
		"mmlu_pro/3": {",\n alike", "the same for 2 characters, then Q8_0 has , and Q4_K_M has  alike"},
		"mmlu_pro/2": {"é\nè", "the same for 1 character, then Q8_0 has é and Q4_K_M has è"},
	} {
		chromiumtest.Ask[bool](p, `(location.hash = "#item=`+strings.ReplaceAll(id, "/", "%2F")+`", true)`)
		p.Wait(`document.querySelector(".item h3")?.textContent === "` + id + `"`)
		text := func(selector string) string {
			found := `[...document.querySelectorAll("` + selector + `")].map((e) => e.textContent)`
			return strings.Join(chromiumtest.Ask[[]string](p, found), "\n")
		}
		if got := text(".item .parts"); got != want.parts {
			t.Errorf("%s parts at %q, want %q", id, got, want.parts)
		}
		if got := text(".departs"); got != want.departs {
			t.Errorf("%s: %q, want %q", id, got, want.departs)
		}
	}
	chromiumtest.Ask[bool](p, `(location.hash = "#item=mmlu_pro%2F0", true)`)
	p.Wait(`document.querySelector(".item h3")?.textContent === "mmlu_pro/0"`)
	table := p.Text(".item .likely")
	for _, want := range []string{"1\t the answer is ( 50.0 %\tA 50.0 %", "2\t▸ A 25.0 %\t▸ B 25.0 %"} {
		if !strings.Contains(strings.ReplaceAll(table, "\u00a0", " "), want) {
			t.Errorf("the likeliest tokens are %q, want %q", table, want)
		}
	}
	if strings.Contains(p.Text(".departs"), "words are compared") {
		t.Error("words are compared where tokens are kept")
	}
	p.Keep("compare-likely")
	p.Silent()
}
