package ask

import (
	"math"
	"os"
	"path/filepath"
	"proctor/scripts/tests/sharedtest"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/task"
	"proctor/runner/ask/form"
	"proctor/runner/journal"
	"proctor/scripts/tests/errortest"
)

// TestLettersDoNotDependOnTheDraw: the set has questions with more options than those that were drawn.
func TestLettersDoNotDependOnTheDraw(t *testing.T) {
	p := directPlan("is (")
	p.header.Dataset.Options = 3
	assert.Check(t, p.mostLetters() == 3, "%d letters, want 3", p.mostLetters())
}

// directPlan is one of items with two options and these texts.
func directPlan(texts ...string) *Plan {
	p := &Plan{Prompts: Prompts{Questions: Questions{Task: task.All[0].AsDirect()}}}
	for _, text := range texts {
		p.Items = append(p.Items, prompts.Item{ID: "x/" + text, Subject: text, Preamble: "Q", Text: text, Options: 2})
	}
	return p
}

func TestAModelWithoutLogprobsIsRefused(t *testing.T) {
	_, _, err := lettersOf(t, &scripted.Model{}, "is (")
	errortest.Says(t, err, "direct")
}

func TestATemplateThatOpensThinkingThoughItIsOffIsRefused(t *testing.T) {
	const opens = "{% for m in messages %}|{{m.role}}|{{m.content}}{% endfor %}|A:" +
		"{% if enable_thinking or messages[0].role == 'system' %}<think>\n{% endif %}"
	off, on := false, true
	for name, test := range map[string]struct {
		system, question string
		think            *bool
		refused          bool
	}{
		"with a system message":   {"Be brief.", "Which?", &off, true},
		"without one":             {"", "Which?", &off, false},
		"that writes of the mark": {"", "What is <think>?", &off, false},
		"thinking is on":          {"Be brief.", "Which?", &on, false},
		"thinking is the model's": {"Be brief.", "Which?", nil, false},
	} {
		parsed, err := chat.Parse(chat.OfModel, opens)
		assert.NilError(t, err)
		question := prompts.Item{ID: "x/1", Text: test.question, Turns: &prompts.Turns{System: test.system}, Options: 2}
		p := &Prompts{Questions: Questions{Task: task.All[0], Items: []prompts.Item{question}}}
		for _, served := range []bool{false, true} {
			items := slices.Clone(p.Items)
			d := prompts.Dialogue{Template: parsed, Turns: true, Served: served, Options: chat.Options{EnableThinking: test.think}}
			err = p.converse(d, form.Form{})
			if p.Items = items; test.refused {
				errortest.For(t, name, err, "think off", "x/1", `<think>`, "chat template")
			} else {
				assert.Check(t, err, "%s, written by a server %v", name, served)
			}
		}
	}
}

func TestADirectAnswerComesBeforeAnyThinking(t *testing.T) {
	for name, test := range map[string]struct{ template, ends, refused string }{
		"no thinking": {"U:{{messages[-1].content}}|A:", "|A:is (", ""},
		"thinking that can be off": {"U:{{messages[-1].content}}|A:{% if not enable_thinking %}<think></think>{% endif %}",
			"<think></think>is (", ""},
		"thinking that is opened": {"U:{{messages[-1].content}}|A:<think>\n", "", "prompt raw"},
		"channels": {"{% for m in messages %}{{ '<|start|>' + m.role }}{% if m.thinking " +
			"%}<|channel|>analysis<|message|>{{ m.thinking }}<|end|><|start|>assistant{% endif " +
			"%}<|channel|>final<|message|>{{ m.content }}<|end|>{% endfor %}<|start|>assistant", "",
			"prompt raw"},
		"thinking opened, can be off": {"U:{{messages[-1].content}}|A:{% if enable_thinking %}<think>{% endif %}", "|A:is (", ""},
	} {
		parsed, err := chat.Parse(chat.OfModel, test.template)
		assert.NilError(t, err)
		p := directPlan("is (")
		p.Items[0].AnswerPrefix = "is ("
		p.marks, _ = fromFile(test.template).Thinking(nil)
		err = p.converse(prompts.Dialogue{Template: parsed}, form.Form{})
		if test.refused != "" {
			errortest.For(t, name, err, test.refused)
			continue
		}
		text := p.Items[0].Prompt()
		assert.Check(t, err == nil && strings.HasSuffix(text, test.ends), "%s: %v, %q", name, err, text)
	}
}

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

// lettersOf are the letters A and B behind items with these texts.
func lettersOf(t *testing.T, model any, texts ...string) (*letters, []prompts.Item, error) {
	items := directPlan(texts...).Items
	found, err := lettersBehind(items, model, 2)
	return found, items, err
}

func TestLettersAreSpelledAsTheTokenizerWritesThem(t *testing.T) {
	for name, test := range map[string]struct {
		tokens, prompt string   // tokens beside those of the prompt's characters
		want           []string // spellings of A
		reads, refused string   // what is left of the item's own part
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
		found, items, err := lettersOf(t, vocabulary, test.prompt)
		if test.refused != "" {
			errortest.For(t, name, err, test.refused)
			continue
		}
		assert.NilError(t, err, name)
		var spellings []string
		for _, token := range found.tokens[0] {
			spellings = append(spellings, found.speller.Piece(token))
		}
		assert.Check(t, is.DeepEqual(spellings, test.want), name)
		assert.Check(t, is.Equal(items[0].Text, test.reads), name)
	}
}

func TestPromptsBehindWhichLettersAreSpelledOtherwiseAreRefused(t *testing.T) {
	_, _, err := lettersOf(t, pieces{"Q", "i", "s", " ", "(", "A", "B", "(A", "(B"}, "is (", "is ")
	errortest.Says(t, err, "tokenises the letters differently")
}

func TestALettersProbabilityIsTheSumOfItsSpellings(t *testing.T) {
	l, _, err := lettersOf(t, pieces{"Q", "i", "s", " ", "(", "A", "B", " A", " B"}, "is (")
	assert.NilError(t, err)
	var r backends.Request
	l.ask(&r, 2)
	assert.Assert(t, is.DeepEqual(r.Forced.Ask, [][]int32{{5, 7, 6, 8}}))
	assert.Check(t, is.Equal(r.Logprobs, 1))
	likely := func(a, spaceA, b, spaceB float64) []float64 {
		return []float64{math.Log(a), math.Log(spaceA), math.Log(b), math.Log(spaceB)}
	}
	for _, test := range []struct {
		logprobs []float64
		a, b     float64
		text     string
		token    int32
	}{
		{likely(0.25, 0.25, 0.4, 1e-9), 0.5, 0.4, "A", 5}, // the likeliest token is B's
		{likely(0.1, 1e-12, 1e-12, 0.3), 0.1, 0.3, "B", 6},
		{likely(0.2, 0.1, 0.1, 0.2), 0.3, 0.3, "A", 5}, // of equals the first
		{[]float64{-800, -800, -800, -900}, 0, 0, "A", 5},
	} {
		c := backends.Completion{Predictions: []backends.Prediction{{AskLogprobs: test.logprobs}}}
		record := journal.Record{Options: 2, Usage: backends.Usage{OutputTokens: 1}}
		l.keep(&record, &c)
		for i, want := range []float64{test.a, test.b} {
			got := math.Exp(record.LetterLogprobs[i])
			assert.Check(t, math.Abs(got-want) <= 1e-8, "%v: letter %d has %g, want %g", test.logprobs, i, got, want)
		}
		assert.Check(t, record.Text == test.text && c.Predictions[0].Token == test.token && record.Usage.OutputTokens == 0, "%v", test)
	}
}

// worder counts words as tokens, behind one that texts begin with.
type worder struct{ scripted.Model }

func (*worder) Tokenize(text string) ([]int32, error) {
	return make([]int32, 1+len(strings.Fields(text))), nil
}

func TestThinkingInTheTextIsClosedAtItsBudget(t *testing.T) {
	p := &Prompts{budget: &backends.Budget{Tokens: []int{3}, Way: backends.Tags}}
	p.budget.Way.Open, p.budget.Way.Close = "<think> ", " </think>" // two words
	p.header.Strip, p.header.Thinking = true, []backends.Thinking{p.budget.Way}
	for _, test := range []struct {
		text    string
		counted int
		want    bool
	}{
		{"<think> one two three </think> The answer is (A).", 0, true},
		{"<think> one two </think> The answer is (A).", 0, false},
		{"<think> one two three four", 0, false},                        // never closed
		{"<think> one two three </think> The answer is (A).", 5, false}, // the backend counted, and says what it closed
		{"The answer is (A).", 0, false},
	} {
		c := backends.Completion{Text: test.text, Usage: backends.Usage{OutputTokens: 20, ThinkingTokens: test.counted}}
		_, got := p.thinking(&worder{}, &c)
		assert.Check(t, got == test.want, "%q: %v", test.text, got)
	}
	p.budget = nil
	_, closed := p.thinking(&worder{}, &backends.Completion{Text: "<think> one two three </think> A"})
	assert.Check(t, !closed, "without a budget")
}

// TestNoTemplateOfLlamaCppHasALetterReadInsideThinking lists the templates that --direct refuses, of all that llama.cpp
// ships.
func TestNoTemplateOfLlamaCppHasALetterReadInsideThinking(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedtest.LlamaCpp(t, "templates"), "*.jinja"))
	assert.Assert(t, err == nil && len(files) >= 71, "%v, %v", files, err)
	var refused []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		assert.NilError(t, err)
		parsed, err := chat.Parse(chat.OfModel, string(source))
		assert.NilError(t, err)
		p := directPlan("is (")
		p.Items[0].AnswerPrefix = "is ("
		p.marks, _ = fromFile(string(source)).Thinking(nil)
		options := chat.Options{Now: time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)}
		if err = p.converse(prompts.Dialogue{Template: parsed, Options: options}, form.Form{}); err != nil {
			refused = append(refused, strings.TrimSuffix(filepath.Base(file), ".jinja"))
		}
	}
	assert.Check(t, is.DeepEqual(refused, strings.Fields("Apriel-1.6-15b-Thinker-fixed Cohere2MoE MiniMax-M2 "+
		"NVIDIA-Nemotron-Nano-v2 StepFun3.5-Flash deepseek-ai-DeepSeek-R1-Distill-Llama-8B "+
		"fireworks-ai-llama-3-firefunction-v2 "+
		"llama-cpp-deepseek-r1 llm-jp-llm-jp-4.1-8b-thinking muse-glimmer openai-gpt-oss-120b upstage-Solar-Open-100B")))
}

// fromFile is the form for a chat template that people wrote.
func fromFile(template string) form.Form {
	var f form.Form
	f.ChatTemplate.Source = setting.Source{Given: "@template.jinja", Text: template}
	return f
}
