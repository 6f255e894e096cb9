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

// A Plan is one task's run, fixed before its first request. It is made in steps, each of which is a function of the one before:
//
//	NewQuestions → Questions ─ Resumed, Shard ─ Prompts → Prompts ─ Measure → Plan
type Plan struct {
	Prompts

	tokens []int // of each item's prompt; nil where nobody counts them
	added  []int // of those, the new ones: that no prompt before begins with
	unread int   // tokens to evaluate of the prompts that are left
}

// Counted keeps what the prompts' tokens are in each vocabulary, for sessions that ask the same one after the other.
type Counted map[string]prefixes.Tokens

// Measure counts the tokens of the prompts, and which of them are new: see package prefixes. model may be nil, and a server's can lack
// its vocabulary here: nothing is counted then. known may be nil.
func (p *Prompts) Measure(model any, known Counted) (*Plan, error) {
	plan := &Plan{Prompts: *p}
	tokenizer, can := model.(backends.Tokenizer)
	if !can {
		return plan, nil
	}
	key := ""
	if scorer, tells := tokenizer.(backends.Scorer); tells && known != nil && p.header.PromptMode == form.Raw && p.letters == nil && p.mine == nil {
		key = p.Task.String() + " " + scorer.VocabularySHA256()
	}
	all, there := known[key]
	var err error
	if !there {
		all, err = prefixes.Of(p.Items, tokenizer)
	}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return plan, nil
	case err != nil:
		return nil, err
	case key != "":
		known[key] = all
	}
	plan.added = all.New(slices.Concat(p.blocks...))
	left := slices.DeleteFunc(slices.Concat(p.blocks...), func(i int) bool { return p.earlier.Done[p.Items[i].ID] })
	for _, n := range all.New(left) {
		plan.unread += n
	}
	plan.tokens, err = all.Lengths(p.Items, tokenizer)
	return plan, err
}

// Header is the journal's first line for this plan on an open, planned model.
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

// newTokens are those of an item; 0 where nobody counts them.
func (p *Plan) newTokens(i int) int {
	if p.added == nil {
		return 0
	}
	return p.added[i]
}

// Workload is what the plan asks of a model. Tokens are 0 where nobody counts them.
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
		OutputTokens: p.length.Tokens, OutputSource: p.length.Source, Sampling: p.header.Sampling.Sampling}
	if p.spec.KeepLogprobs {
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

// Cost is what questions have a model read.
type Cost struct {
	Questions    int
	Items        int // repeats included
	PromptTokens int // of every prompt in full
	Subjects     int // whose preambles there are
	Preambles    int // tokens of one of each
	SharedTokens int // where every subject's preamble is read once and the items add their own part only
}

// A Count says how many tokens a text has.
type Count func(text string) (int, error)

// CharsPerToken is what [Estimate] goes by. It is rough: 48 prompts about business had 3.58 characters a
// token with a vocabulary of 32,064 tokens (Phi-3's); other subjects and vocabularies were not measured.
const CharsPerToken = 3.5

// Estimate is a Count from the number of characters, where there is no tokenizer.
func Estimate(text string) (int, error) { return EstimateAt(CharsPerToken)(text) }

// EstimateAt does what [Estimate] does, given how many characters a token has.
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
