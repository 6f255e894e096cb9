package bench

import (
	"fmt"
	"slices"

	"proctor/backends"
)

// A Load is what models are asked in an eval, and how often.
type Load struct {
	Prompts     func(backends.Tokenizer) (Prompts, error)
	Repetitions int  // of each way, once its model is open
	WarmUp      bool // answer a few of the prompts first, untimed
	Rounds      int  // how often that is done with all ways, one after the other
	Compared    bool // rows tell how a way compares with the first

	// Drawn has tokens drawn and completions end where the model ends them, which every backend can. Without it, tokens
	// are the likeliest and no completion ends before its cap.
	Drawn bool
}

// Prompts begin alike.
type Prompts struct {
	Texts []string
	Work  backends.Workload
	// Tokens that all prompts begin with, and of each prompt after those; 0 where prompts differ in that.
	Shared, Own int
}

// sampling keeps a model with random weights from repeating itself, which some servers end.
var sampling = backends.Sampling{Temperature: 1, TopK: 40, TopP: 0.9}

// requests ask for completions of all prompts.
func (l Load) requests(p Prompts) []backends.Request {
	all := make([]backends.Request, len(p.Texts))
	for i, text := range p.Texts {
		all[i] = backends.Request{ID: fmt.Sprint(i), Prompt: text, MaxTokens: p.Work.MaxTokens, IgnoreEOS: !l.Drawn}
		all[i].Partings = func() []int { return backends.Partings(text, slices.Values(p.Texts[i+1:])) }
		if l.Drawn {
			all[i].Sampling = sampling
			all[i].Sampling.Seed = uint32(i + 1)
		}
	}
	return all
}
