package backends

import (
	"cmp"
	"strings"
	"time"
)

// Thinking is how a model marks what it thinks before it answers, in the text of a completion. Package chat reads it
// from a template.
type Thinking struct {
	Open  string `json:"open"`  // stands before the thinking
	Close string `json:"close"` // ends it
	// Force, where it isn't empty, closes thinking which the model did not end itself: Close alone does not begin an
	// answer.
	Force string `json:"force,omitempty"`
}

// Around is a text behind what was thought before it, in the marks. Thinking that no answer follows, nor the end of
// one, stays open.
func (t Thinking) Around(thinking, text string, ended bool) string {
	switch {
	case thinking == "":
		return text
	case text == "" && !ended:
		return t.Open + thinking
	}
	return t.Open + thinking + t.Close + text
}

// Opened says whether a prompt ends within thinking that it opened itself.
func (t Thinking) Opened(prompt string) bool {
	return strings.LastIndex(prompt, t.Open) > strings.LastIndex(prompt, t.Close)
}

// Answer is the mark with which an answer begins; empty where it begins at once.
func (t Thinking) Answer() string {
	_, behind, _ := strings.Cut(t.Force, t.Close)
	switch behind = strings.TrimSpace(behind); {
	case behind != "":
		return behind
	case t.Force == "" || strings.TrimSpace(t.Force) == t.Close:
		return ""
	}
	return t.Close
}

// Tags are the marks of Qwen, GLM, DeepSeek and most others, in which backends give thinking that comes apart from the
// answer.
var Tags = Thinking{Open: "<think>", Close: "</think>", Force: "\n</think>\n\n"}

// A Budget limits a completion's thinking: once it has that many tokens, the closing mark is forced and the answer
// follows.
type Budget struct {
	// of thinking, ascending; at the last one thinking ends, at each before the completion forks: see [Fork]
	Tokens []int
	Way    Thinking // in which the model marks its thinking
}

// Most is the largest budget.
func (b *Budget) Most() int { return b.Tokens[len(b.Tokens)-1] }

// Closing is the text that closes thinking by force.
func (b *Budget) Closing() string { return cmp.Or(b.Way.Force, b.Way.Close) }

// Room is how many tokens a completion may have beside its answer's, at most.
func (b *Budget) Room() int { return b.Most() + len(b.Way.Open) + len(b.Closing()) } // no token has less than a byte

// A Budgeter is a Model that takes [Request.Budget].
type Budgeter interface {
	// CheckBudget refuses a budget that it can't keep, and says what it could.
	CheckBudget(Budget) error
}

// A Fork is the continuation of a completion whose thinking is closed by force at a smaller budget than the largest
// one. There is none for budgets that the thinking did not reach: those completions are the same.
type Fork struct {
	Budget         int           `json:"budget"`          // tokens of thinking
	Shared         int           `json:"shared"`          // bytes of the completion's text that it begins with
	Text           string        `json:"text"`            // what follows them
	Finish         Finish        `json:"finish"`          // as a Completion's
	Stop           string        `json:"stop,omitempty"`  // as a Completion's
	Cause          Cause         `json:"cause,omitempty"` // as a Completion's
	OutputTokens   int           `json:"output_tokens"`   // those that it shares counted
	ThinkingTokens int           `json:"thinking_tokens"` // of them, marks counted
	Decode         time.Duration `json:"decode_ns"`       // that its own tokens took
}

// Whole is the text of a fork of a completion with a text.
func (f *Fork) Whole(text string) string { return text[:min(f.Shared, len(text))] + f.Text }
