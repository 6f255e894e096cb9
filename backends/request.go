package backends

import (
	"iter"
	"slices"
	"time"
)

// A Request is one prompt to complete, or a conversation to continue.
type Request struct {
	ID        string   // chosen by the caller, returned in the Completion
	Prompt    string   // the whole text, without BOS: the backend adds it where the model wants one
	Stop      []string // the completion ends before the first of these; none of them is part of the text
	MaxTokens int      // cap on generated tokens, > 0
	Sampling  Sampling

	// Messages is the conversation to continue, which only a [Converser] may get; nil for any other prompt. Prompt is then
	// empty, and the Completion has the text that the model read; or Prompt is the text that Converse made of these messages.
	Messages []Message
	Think    *bool // of Messages: whether the model is to think before it answers; nil leaves it to the model

	// Budget ends the thinking; nil leaves its end to the model, and MaxTokens caps all. With it MaxTokens caps what is not thinking.
	// Only a [Budgeter] may get it, none with IgnoreEOS or Done, and only one of one budget with Logprobs.
	Budget *Budget

	// Partings returns where later requests part from Prompt, in bytes and ascending: after its shots, or after its question. A
	// backend that can resume only from where it stopped calls it and stops there; others need not. nil where that is unknown.
	Partings func() []int

	// IgnoreEOS makes the completion continue past the tokens that end a text, up to MaxTokens, where the backend can: speeds are compared on
	// completions of one length.
	IgnoreEOS bool

	// Drawn are the completion's tokens that an earlier Generate drew: it resumes behind them. nil for none; a backend that can't resume
	// starts over. Every is how often a backend that can hands over the tokens so far, with [FinishOpen], and once more when ctx ends; 0
	// for never. With Logprobs there is neither.
	Drawn []int32
	Every time.Duration

	// EndLoops ends a completion that repeats itself, with [CauseLoop]: see [stream.Loop].
	EndLoops bool

	// Logprobs is how many of the likeliest tokens each Prediction of the Completion has; 0: it has no Predictions. Forced
	// has the model read a completion instead of writing one. MaxTokens, Stop and Sampling say nothing then, and the Completion
	// has no Text. Only a [Scorer] may get either.
	Logprobs int
	Forced   *Forced
}

// A Message is a part of a conversation. Role is "system", "user" or "assistant".
type Message struct{ Role, Content string }

// CommonPrefix counts the elements that a and b begin with alike. A backend evaluates what its cache has of a prompt no
// second time, so the tokens that prompts have in common are counted in many places.
func CommonPrefix[E comparable](a, b []E) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// lookAhead is how many of the prompts that follow are compared with one.
const lookAhead = 16

// Partings returns where a prompt parts from those that follow it, in bytes and ascending; see [Request.Partings].
func Partings(prompt string, following iter.Seq[string]) []int {
	var all []int
	for next := range following {
		all = append(all, CommonPrefix([]byte(prompt), []byte(next)))
		if len(all) == lookAhead {
			break
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
