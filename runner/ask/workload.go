package ask

import (
	"errors"
	"fmt"
	"slices"

	"proctor/backends"
	"proctor/backends/setting"
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
	p.unread = 0
	for _, n := range all.New(p.order()) {
		p.unread += n
	}
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
	w := backends.Workload{Requests: len(p.Items), PromptTokens: longest, UniqueTokens: unique, MaxTokens: p.mostTokens(),
		OutputTokens: p.length.Tokens, OutputSource: p.length.Source}
	if p.keepsLogprobs {
		w.Logprobs = backends.TopLogprobs
	}
	return w
}

// Unfit counts the items whose prompt and cap exceed a context of this many tokens. Where nobody counted the prompts, it is those whose
// cap alone does.
func (p *Plan) Unfit(context int) int {
	if p.tokens == nil && p.mostTokens() >= context {
		return len(p.Items)
	}
	unfit := 0
	for _, n := range p.tokens {
		if n+p.mostTokens() > context {
			unfit++
		}
	}
	return unfit
}

// workload is the largest that any of the plans asks for.
func (s *Session) workload() (backends.Workload, error) {
	var work backends.Workload
	for _, plan := range s.plans {
		if tokenizer, ok := s.model.(backends.Tokenizer); ok {
			// A server's model can lack its vocabulary here.
			if err := plan.Measure(tokenizer); err != nil && !errors.Is(err, errors.ErrUnsupported) {
				return work, err
			}
		}
		w := plan.Workload()
		if w.Requests > work.Requests {
			work.Requests, work.UniqueTokens = w.Requests, w.UniqueTokens
			work.OutputTokens, work.OutputSource = w.OutputTokens, w.OutputSource
		}
		work.PromptTokens = max(work.PromptTokens, w.PromptTokens)
		work.MaxTokens = max(work.MaxTokens, w.MaxTokens)
		work.Logprobs = max(work.Logprobs, w.Logprobs)
	}
	return work, nil
}

// checkFit refuses a context that no item fits, or that a larger share of them than may does not, and warns where some
// do not.
func (s *Session) checkFit(mayUnfit float64) error {
	context := s.info.Engine.Context
	if context == 0 {
		return nil
	}
	for _, plan := range s.plans {
		unfit := plan.Unfit(context)
		if unfit == 0 {
			continue
		}
		w := plan.Workload()
		what := fmt.Sprintf("%s: %d of %d prompts with %d tokens of answer do not fit a context of %d tokens; the longest needs %d",
			plan.Task, unfit, len(plan.Items), w.MaxTokens, context, w.PromptTokens+w.MaxTokens)
		share := float64(unfit) / float64(len(plan.Items))
		if share == 1 || mayUnfit > 0 && share > mayUnfit {
			return fmt.Errorf("%s: lower %s or %s, raise %s, or use a model with a longer context", what, setting.MaxTokens, setting.Shots,
				setting.Context)
		}
		Tell(s.Warn, fmt.Sprintf("%s: they become HARNESS_ERROR, CTX_TRUNCATED; %s shows them fewer examples", what, setting.Shots))
	}
	return nil
}
