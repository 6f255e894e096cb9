package backends

import (
	"strings"
	"time"
)

// A Budget limits a completion's thinking: once it has that many tokens, the closing mark is forced and the answer follows.
type Budget struct {
	Tokens []int    // of thinking, ascending; at the last one thinking ends, at each before the completion forks: see [Fork]
	Way    Thinking // in which the model marks its thinking
	Say    string   // a sentence that ends thinking which is closed by force; empty for none
}

// Most is the largest budget.
func (b *Budget) Most() int { return b.Tokens[len(b.Tokens)-1] }

// Closing is the text that closes thinking by force.
func (b *Budget) Closing() string {
	closing := b.Way.closing()
	if b.Say == "" {
		return closing
	}
	return "\n\n" + strings.TrimSpace(b.Say) + "\n" + strings.TrimPrefix(closing, "\n")
}

// Room is how many tokens a completion may have beside its answer's, at most.
func (b *Budget) Room() int { return b.Most() + len(b.Way.Open) + len(b.Closing()) } // no token has less than a byte

// A Budgeter is a Model that takes [Request.Budget].
type Budgeter interface {
	// CheckBudget refuses a budget that it can't keep, and says what it could.
	CheckBudget(Budget) error
}

// A Fork is how a completion goes on where its thinking is closed by force at a smaller budget than the largest one. A completion
// has none at budgets that its thinking did not reach: it is the same there.
type Fork struct {
	Budget         int           `json:"budget"`          // tokens of thinking
	Shared         int           `json:"shared"`          // bytes of the completion's text that it begins with
	Text           string        `json:"text"`            // what follows them
	Finish         Finish        `json:"finish"`          // as a Completion's
	Cause          Cause         `json:"cause,omitempty"` // as a Completion's
	OutputTokens   int           `json:"output_tokens"`   // those that it shares counted
	ThinkingTokens int           `json:"thinking_tokens"` // of them, marks counted
	Decode         time.Duration `json:"decode_ns"`       // that its own tokens took
}

// Whole is the text of a fork of a completion with a text.
func (f *Fork) Whole(text string) string { return text[:min(f.Shared, len(text))] + f.Text }
