package ask

import (
	"errors"
	"slices"
	"time"

	"proctor/backends"
	"proctor/runner/ask/prefixes"
	"proctor/runner/journal"
)

// A Plan is one task's run, fixed before its first request. It is made in steps:
//
//	NewQuestions → Questions ─ Resumed, Shard ─ Prompts → Prompts ─ Measure → Plan
type Plan struct {
	Prompts

	tokens  *prefixes.Tokens // of the items' prompts; nil without a tokenizer
	added   []int            // each item's new tokens, which no earlier prompt begins with; 0 until counted
	counted int              // number of items, in the run's order, whose new tokens are counted
	longest int              // tokens of the longest prompt
	unique  int              // all new ones, about
	unread  int              // of those, the ones to evaluate of the prompts that are left
}

// Measure counts the tokens of the longest prompt, and about how many are new: see package prefixes. model may be nil, and a server's can
// lack its vocabulary here: nothing is counted then.
func (p *Prompts) Measure(model any) (*Plan, error) {
	plan := &Plan{Prompts: *p}
	tokenizer, can := model.(backends.Tokenizer)
	if !can {
		return plan, nil
	}
	tokens := prefixes.Of(p.Items, tokenizer)
	var err error
	if plan.longest, err = tokens.Longest(); errors.Is(err, errors.ErrUnsupported) {
		return plan, nil
	} else if err != nil {
		return nil, err
	}
	plan.tokens, plan.added = tokens, make([]int, len(p.Items))
	if plan.unique, err = tokens.Unique(plan.order()); err != nil {
		return nil, err
	}
	plan.unread, err = tokens.Unique(slices.DeleteFunc(plan.order(), func(i int) bool { return p.earlier.Done[p.Items[i].ID] }))
	return plan, err
}

// order is the order in which the items are asked.
func (p *Plan) order() []int { return slices.Concat(p.blocks...) }

// Header is the journal's header for this plan on an open, planned model.
func (p *Plan) Header(info backends.Info, host backends.Host, version string, now time.Time) journal.Header {
	header, part := p.header, p.header.History.Last()
	part.ToolVersion, part.Created, part.Host = version, now.UTC().Truncate(time.Second), host
	header.History = journal.History{part}
	header.Model = info.Model
	header.Backend = info.Engine
	header.Notes = slices.Concat(header.Notes, info.Notes)
	return header
}

// atATime is the number of items whose new tokens are counted in one go, while the engine may have to wait.
const atATime = 256

// Workload describes the plan's requests for a model. Tokens are 0 without a tokenizer.
func (p *Plan) Workload() backends.Workload {
	w := backends.Workload{Requests: len(p.Items), PromptTokens: p.longest, UniqueTokens: p.unique, MaxTokens: p.mostTokens(),
		OutputTokens: p.length.Tokens, OutputSource: p.length.Source, Sampling: p.header.Sampling.Sampling}
	if p.spec.KeepLogprobs {
		w.Logprobs = backends.TopLogprobs
	}
	for i := range p.Items {
		item := &p.Items[i]
		if p.tokens == nil && len(item.Preamble)+len(item.Text) > len(w.Longest) && !prefixes.Oversize(item) {
			w.Longest = item.Prompt()
		}
	}
	return w
}

// Unfit counts the items whose prompt and cap together exceed a context of this many tokens; without a tokenizer, whose
// cap alone fills it.
func (p *Plan) Unfit(context int) (unfit int, err error) {
	if p.Workload().Fits(context) == nil {
		return 0, nil
	}
	if p.tokens == nil {
		return len(p.Items), nil
	}
	lengths, err := p.tokens.Lengths()
	for _, n := range lengths {
		if (backends.Workload{PromptTokens: n, MaxTokens: p.mostTokens()}).Fits(context) != nil {
			unfit++
		}
	}
	return unfit, err
}
