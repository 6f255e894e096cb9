package ask

import (
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"proctor/backends"
	"proctor/runner/ask/form"
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

// Counted keeps the prompts' tokens for each vocabulary, for sessions that ask the same prompts one after the other.
type Counted map[string]*prefixes.Tokens

// Measure counts the tokens of the longest prompt, and about how many are new: see package prefixes. model may be nil, and a server's can
// lack its vocabulary here: nothing is counted then. known may be nil.
func (p *Prompts) Measure(model any, known Counted) (*Plan, error) {
	plan := &Plan{Prompts: *p}
	tokenizer, can := model.(backends.Tokenizer)
	if !can {
		return plan, nil
	}
	key := ""
	if scorer, ok := tokenizer.(backends.Scorer); ok && known != nil && p.header.PromptMode == form.Raw && p.letters == nil && p.shardItems == nil {
		key = p.Task.String() + " " + scorer.VocabularySHA256()
	}
	tokens, there := known[key]
	if there {
		tokens.With(tokenizer)
	} else {
		tokens = prefixes.Of(p.Items, tokenizer)
	}
	var err error
	if plan.longest, err = tokens.Longest(); errors.Is(err, errors.ErrUnsupported) {
		return plan, nil
	} else if err != nil {
		return nil, err
	}
	if key != "" {
		known[key] = tokens
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
	header := p.header
	header.ToolVersion = version
	header.Created = now.UTC().Truncate(time.Second)
	header.Model = info.Model
	header.Backend = info.Engine
	header.Host = host
	header.Notes = slices.Concat(header.Notes, info.Notes)
	return header
}

// atATime is the number of items whose new tokens are counted in one go, while the engine may have to wait.
const atATime = 256

// newTokens is an item's number of new tokens; 0 without a tokenizer. They are counted at the first call, with those of the items
// before it.
func (p *Plan) newTokens(i int) (n int, err error) {
	if p.tokens == nil {
		return 0, nil
	}
	for order := p.order(); p.added[i] == 0 && p.counted < len(order); {
		p.counted = min(p.counted+atATime, len(order))
		if p.added, err = p.tokens.New(order[:p.counted]); err != nil {
			return 0, err
		}
	}
	return p.added[i], nil
}

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

// Unfit counts the items whose prompt and cap together exceed a context of this many tokens; without a tokenizer, whose cap alone
// does.
func (p *Plan) Unfit(context int) (int, error) {
	switch {
	case p.tokens == nil && p.mostTokens() >= context:
		return len(p.Items), nil
	case p.tokens == nil || p.longest+p.mostTokens() <= context:
		return 0, nil
	}
	lengths, err := p.tokens.Lengths()
	unfit := 0
	for _, n := range lengths {
		if n+p.mostTokens() > context {
			unfit++
		}
	}
	return unfit, err
}

// A Cost is the number of tokens that questions make a model read.
type Cost struct {
	Questions    int
	Items        int // repeats included
	PromptTokens int // of every prompt in full
	Subjects     int // that have preambles
	Preambles    int // tokens, one preamble of each subject
	SharedTokens int // with every subject's preamble read once, and only their own part of the items
}

// A Count counts a text's tokens.
type Count func(text string) (int, error)

// CharsPerToken is the ratio that [Estimate] uses. It is rough: 48 prompts about business had 3.58 characters a token with a
// vocabulary of 32,064 tokens (Phi-3's); other subjects and vocabularies were not measured.
const CharsPerToken = 3.5

// Estimate is a Count from the number of characters, where there is no tokenizer.
func Estimate(text string) (int, error) { return EstimateAt(CharsPerToken)(text) }

// EstimateAt is [Estimate] with another number of characters a token.
func EstimateAt(chars float64) Count {
	return func(text string) (int, error) { return int(float64(utf8.RuneCountInString(text))/chars + 0.5), nil }
}

// Counting is the exact Count of a model.
func Counting(tokenizer backends.Tokenizer) Count {
	return func(text string) (int, error) {
		ids, err := tokenizer.Tokenize(text)
		return len(ids), err
	}
}

// Cost adds up the prompts. A preamble and an item's own part are counted apart, which can be a token off where
// they meet.
func (p *Questions) Cost(count Count) (Cost, error) {
	cost := Cost{Questions: p.asks(), Items: len(p.Items)}
	preambles := map[string]int{}
	for subject, text := range p.header.Preambles {
		n, err := count(text)
		if err != nil {
			return Cost{}, err
		}
		preambles[subject] = n
		cost.SharedTokens, cost.Preambles, cost.Subjects = cost.SharedTokens+n, cost.Preambles+n, cost.Subjects+1
	}
	times := max(1, p.header.Repeats)
	for i, item := range p.Items {
		if p.repeats[i] > 1 { // the same text
			continue
		}
		n, err := count(item.Text)
		if err != nil {
			return Cost{}, err
		}
		cost.SharedTokens += n * times
		cost.PromptTokens += (n + preambles[item.Subject]) * times
	}
	return cost, nil
}
