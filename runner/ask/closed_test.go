package ask

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
)

// worder counts words as tokens, behind one that texts begin with.
type worder struct{ scripted.Model }

func (*worder) Tokenize(text string) ([]int32, error) {
	return make([]int32, 1+len(strings.Fields(text))), nil
}

func TestThinkingInTheTextIsClosedAtItsBudget(t *testing.T) {
	p := &Plan{budget: &backends.Budget{Tokens: []int{3}, Way: backends.Tags}}
	p.budget.Way.Open, p.budget.Way.Close = "<think> ", " </think>" // two words
	p.header.Strip, p.header.Thinking = true, backends.ThinkingNames()
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
	if _, closed := p.thinking(&worder{}, &backends.Completion{Text: "<think> one two three </think> A"}); closed {
		t.Error("without a budget something was closed")
	}
}
