package ask

import (
	"math"
	"slices"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/scripts/tests/errortest"
)

// pieces are a vocabulary whose tokenizer takes the longest token that fits.
type pieces []string

func (v pieces) Piece(token int32) string { return v[token] }
func (v pieces) VocabularySHA256() string { return "" }

func (v pieces) TokenOf(piece string) (int32, bool) {
	i := slices.Index(v, piece)
	return int32(i), i >= 0
}

func (v pieces) Tokenize(text string) (tokens []int32, _ error) {
	for text != "" {
		best := -1
		for i, piece := range v {
			if strings.HasPrefix(text, piece) && (best < 0 || len(piece) > len(v[best])) {
				best = i
			}
		}
		tokens, text = append(tokens, int32(best)), text[len(v[best]):]
	}
	return tokens, nil
}

// TestSpellingsDoNotDependOnWhatIsDrawn: the set has questions with more options than those that were drawn.
func TestSpellingsDoNotDependOnWhatIsDrawn(t *testing.T) {
	p := directPlan("is (")
	p.header.Dataset.Options = 3
	err := p.spell(pieces{"Q", "i", "s", " ", "(", "A", "B", "C", " A", " B"}) // but no " C"
	if err != nil || !slices.Equal(p.header.Direct.Spellings, []string{"A"}) || len(p.letters.tokens) != 3 {
		t.Errorf("spellings %q of %d letters, %v", p.header.Direct.Spellings, len(p.letters.tokens), err)
	}
}

// directPlan is one of items with two options and these texts.
func directPlan(texts ...string) *Plan {
	p := &Plan{Task: task.All[0].AsDirect()}
	for _, text := range texts {
		p.Items = append(p.Items, prompts.Item{ID: "x/" + text, Subject: text, Preamble: "Q", Text: text, Options: 2})
	}
	return p
}

func TestLettersAreSpelledAsTheTokenizerWritesThem(t *testing.T) {
	for name, test := range map[string]struct {
		tokens  string // beside those of the prompt's characters
		prompt  string
		want    []string // spellings of A
		reads   string   // what is left of the item's own part
		refused string
	}{
		"behind a bracket":                   {"", "is (", []string{"A"}, "is (", ""},
		"with a space, too":                  {"| A| B", "is (", []string{"A", " A"}, "is (", ""},
		"one letter with a space":            {"| A", "is (", []string{"A"}, "is (", ""},
		"the space is the letter's":          {"| A| B", "is ", []string{" A", "A"}, "is", ""},
		"the bracket is the letter's":        {"|(A|(B", "is (", []string{"(A"}, "is ", ""},
		"the bracket and its space are":      {"| (A| (B|(A|(B| (", "is (", []string{" (A", "(A"}, "is", ""},
		"the bracket is that of one letter":  {"|(A", "is (", nil, "", `no single token for the letter B behind "Qis ("`},
		"letters are bytes behind a newline": {"|\n", "is\n", []string{"A"}, "is\n", ""},
	} {
		vocabulary := append(pieces{"Q", "i", "s", " ", "(", "A", "B", "\n"}, strings.Split(test.tokens, "|")[1:]...)
		if test.tokens == "" {
			vocabulary = vocabulary[:8]
		}
		p := directPlan(test.prompt)
		err := p.spell(vocabulary)
		switch {
		case test.refused != "":
			errortest.For(t, name, err, test.refused)
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case !slices.Equal(p.header.Direct.Spellings, test.want) || p.Items[0].Text != test.reads:
			t.Errorf("%s: %q behind %q, want %q behind %q", name, p.header.Direct.Spellings, p.Items[0].Text, test.want, test.reads)
		}
	}
}

func TestPromptsBehindWhichLettersAreSpelledOtherwiseAreRefused(t *testing.T) {
	p := directPlan("is (", "is ")
	err := p.spell(pieces{"Q", "i", "s", " ", "(", "A", "B", "(A", "(B"})
	errortest.Says(t, err, "writes the letters otherwise")
}

func TestAModelThatDoesNotTellIsRefused(t *testing.T) {
	p := directPlan("is (")
	errortest.Says(t, p.spell(&scripted.Model{}), "direct")
	if err := p.Run(t.Context(), &scripted.Model{}, nil, &journal.Resume{}, Observer{}); err == nil {
		t.Error("it runs")
	}
}

func TestALettersProbabilityIsTheSumOfItsSpellings(t *testing.T) {
	p := directPlan("is (")
	if err := p.spell(pieces{"Q", "i", "s", " ", "(", "A", "B", " A", " B"}); err != nil {
		t.Fatal(err)
	}
	var r backends.Request
	p.letters.ask(&r, 2)
	if want := []int32{5, 7, 6, 8}; len(r.Forced.Ask) != 1 || !slices.Equal(r.Forced.Ask[0], want) || r.Logprobs != 1 {
		t.Fatalf("%+v, want %d asked for", r.Forced, want)
	}
	likely := func(a, spaceA, b, spaceB float64) []float64 {
		return []float64{math.Log(a), math.Log(spaceA), math.Log(b), math.Log(spaceB)}
	}
	for _, test := range []struct {
		asked []float64
		a, b  float64
		text  string
		token int32
	}{
		{likely(0.25, 0.25, 0.4, 1e-9), 0.5, 0.4, "A", 5}, // the likeliest token is B's
		{likely(0.1, 1e-12, 1e-12, 0.3), 0.1, 0.3, "B", 6},
		{likely(0.2, 0.1, 0.1, 0.2), 0.3, 0.3, "A", 5}, // of equals the first
		{[]float64{-800, -800, -800, -900}, 0, 0, "A", 5},
	} {
		c := backends.Completion{Predictions: []backends.Prediction{{Asked: test.asked}}}
		record := journal.Record{Options: 2, Usage: backends.Usage{OutputTokens: 1}}
		p.letters.told(&record, &c)
		for i, want := range []float64{test.a, test.b} {
			if got := math.Exp(record.LetterLogprobs[i]); math.Abs(got-want) > 1e-8 {
				t.Errorf("%v: letter %d has %g, want %g", test.asked, i, got, want)
			}
		}
		if record.Text != test.text || c.Predictions[0].Token != test.token || record.Usage.OutputTokens != 0 {
			t.Errorf("%v: %q, token %d", test.asked, record.Text, c.Predictions[0].Token)
		}
	}
}

func TestADirectAnswerComesBeforeAnyThinking(t *testing.T) {
	for name, test := range map[string]struct{ template, ends, refused string }{
		"no thinking": {"U:{{messages[-1].content}}|A:", "|A:is (", ""},
		"thinking that can be off": {"U:{{messages[-1].content}}|A:{% if not enable_thinking %}<think></think>{% endif %}",
			"<think></think>is (", ""},
		"thinking that is opened":     {"U:{{messages[-1].content}}|A:<think>\n", "", "prompt raw"},
		"channels":                    {"U:{{messages[-1].content}}<|start|>assistant", "", "prompt raw"},
		"thinking opened, can be off": {"U:{{messages[-1].content}}|A:{% if enable_thinking %}<think>{% endif %}", "|A:is (", ""},
	} {
		parsed, err := chat.Parse(test.template)
		if err != nil {
			t.Fatal(err)
		}
		p := directPlan("is (")
		p.Items[0].AnswerPrefix = "is ("
		err = p.converseDirectly(prompts.Dialogue{Template: parsed}, "")
		switch text := p.Items[0].Prompt(); {
		case test.refused != "":
			errortest.For(t, name, err, test.refused)
		case err != nil || !strings.HasSuffix(text, test.ends):
			t.Errorf("%s: %v, %q", name, err, text)
		}
	}
}
