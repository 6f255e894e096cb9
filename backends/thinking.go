package backends

import (
	"cmp"
	"strings"
	"time"
)

// Thinking is a way in which models mark what they think before they answer, in the text of a completion.
type Thinking struct {
	Name        string
	Open, Close string // what stands before the thinking, and behind it
	// Special are the tokens that a vocabulary may write the marks with which have no text otherwise. A backend that turns
	// tokens into text by itself gives them theirs where a vocabulary has all of them.
	Special []string
	// Force closes thinking which the model did not end itself, where that takes more than Close.
	Force string
}

// Around is a text behind what was thought before it, in the marks. Thinking that no answer follows, nor the end of one, stays open.
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

// Tags is the way of Qwen, GLM, DeepSeek and most others, in which backends give thinking that comes apart from the answer.
var Tags = Thinking{
	Name: "tags", Open: "<think>", Close: "</think>", Special: []string{"<think>", "</think>"}, Force: "\n</think>\n\n",
}

// Thinkings are the known ways to mark thinking. A journal keeps the names of those known when it was written.
var Thinkings = []Thinking{
	Tags,
	inTags("mistral", "[THINK]", "[/THINK]"),
	// What is not said in the final channel is no answer: between analysis and final there may be a commentary.
	{
		Name: "harmony", Open: "<|channel|>analysis<|message|>", Close: "<|channel|>final<|message|>",
		Special: []string{"<|start|>", "<|channel|>", "<|message|>", "<|end|>"},
		Force:   "<|end|><|start|>assistant<|channel|>final<|message|>",
	},
	inTags("cohere", "<|START_THINKING|>", "<|END_THINKING|>"),
	inTags("seed", "<seed:think>", "</seed:think>"),
	inTags("kimi", "◁think▷", "◁/think▷"),
	{Name: "gemma", Open: "<|channel>thought", Close: "<channel|>", Special: []string{"<|channel>", "<channel|>"}},
}

func inTags(name, open, closing string) Thinking {
	return Thinking{Name: name, Open: open, Close: closing, Special: []string{open, closing}}
}

// ThinkingOf returns the Thinking whose marks a chat template contains; nil for none.
func ThinkingOf(template string) *Thinking {
	for _, t := range Thinkings {
		if strings.Contains(template, t.Close) || strings.Contains(template, t.Open) {
			return &t
		}
	}
	return nil
}

// ThinkingNames are the names of all [Thinkings].
func ThinkingNames() []string {
	names := make([]string, len(Thinkings))
	for i, t := range Thinkings {
		names[i] = t.Name
	}
	return names
}

// A Budget limits a completion's thinking: once it has that many tokens, the closing mark is forced and the answer follows.
type Budget struct {
	Tokens []int    // of thinking, ascending; at the last one thinking ends, at each before the completion forks: see [Fork]
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

// A Fork is the continuation of a completion whose thinking is closed by force at a smaller budget than the largest one. There is none for
// budgets that the thinking did not reach: those completions are the same.
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
