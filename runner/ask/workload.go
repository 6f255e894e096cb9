package ask

import (
	"slices"

	"proctor/backends"
	"proctor/runner/ask/prefixes"
)

// Measured keeps what the prompts' tokens are in each vocabulary, for sessions that ask the same one after the other.
type Measured map[string]prefixes.Tokens

// Measure counts the tokens of the prompts, and which of them are new: see package prefixes.
func (p *Plan) Measure(tokenizer backends.Tokenizer) error {
	key := ""
	if scorer, tells := tokenizer.(backends.Scorer); tells && p.measured != nil {
		key = p.Task.String() + " " + scorer.VocabularySHA256()
	}
	all, known := p.measured[key]
	var err error
	if !known {
		if all, err = prefixes.Of(p.Items, tokenizer); err != nil {
			return err
		}
	}
	if key != "" {
		p.measured[key] = all
	}
	p.added = all.New(slices.Concat(p.blocks...))
	p.tokens, err = all.Lengths(p.Items, tokenizer)
	return err
}

// newTokens are those of an item; 0 until Measure.
func (p *Plan) newTokens(i int) int {
	if p.added == nil {
		return 0
	}
	return p.added[i]
}

// Workload is what the plan asks of a model. Tokens are 0 until Measure.
func (p *Plan) Workload() backends.Workload {
	longest := 0
	for _, n := range p.tokens {
		longest = max(longest, n)
	}
	unique := 0
	for _, n := range p.added {
		unique += n
	}
	w := backends.Workload{Requests: len(p.Items), PromptTokens: longest, UniqueTokens: unique, MaxTokens: p.mostTokens()}
	if p.keepsLogprobs {
		w.Logprobs = backends.TopLogprobs
	}
	return w
}

// Unfit counts the items whose prompt and cap exceed a context of this many tokens; 0 until Measure.
func (p *Plan) Unfit(context int) int {
	unfit := 0
	for _, n := range p.tokens {
		if n+p.mostTokens() > context {
			unfit++
		}
	}
	return unfit
}
