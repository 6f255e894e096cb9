package ask

import (
	"slices"

	"proctor/backends"
)

// surelyLongest is how many of the prompts that seem longest are counted as a whole.
const surelyLongest = 16

// Measure counts the tokens of the prompts, and which of them are new: see [journal.Record]. Preambles are long and the
// same for a whole subject, so only one prompt of a subject is tokenised as a whole, the others from a little before the
// place where they part; see [splitter]. The longest prompts are counted again in one piece.
func (p *Plan) Measure(tokenizer backends.Tokenizer) error {
	all, vocabulary := p.known(tokenizer)
	if all == nil {
		var err error
		if all, err = p.tokenise(tokenizer); err != nil {
			return err
		}
		if vocabulary != "" {
			p.measured[vocabulary] = all
		}
	}
	p.countNew(all)
	return p.countAll(tokenizer, all)
}

// tokenise makes the tokens of the plan's items.
func (p *Plan) tokenise(tokenizer backends.Tokenizer) ([]*tokens, error) {
	all := make([]*tokens, len(p.Items))
	first := map[variant]*tokens{}
	splits := map[string]*splitter{}
	for i := range p.Items {
		item := &p.Items[i]
		same := variant{item.Subject, item.QuestionID, item.Variant}
		if all[i] = first[same]; all[i] != nil { // a repeat
			continue
		}
		if oversize(item) {
			all[i] = &tokens{} // it is not asked
			continue
		}
		split := splits[item.Subject]
		if split == nil {
			split = &splitter{tokenizer: tokenizer, preamble: item.Preamble}
			splits[item.Subject] = split
		}
		var err error
		if all[i], err = split.tokens(item.Text); err != nil {
			return nil, err
		}
		first[same] = all[i]
	}
	return all, nil
}

// variant is what repeats of an item have in common.
type variant struct {
	subject  string
	question int
	name     string
}

// countNew goes through the prompts in the order in which they are asked.
func (p *Plan) countNew(all []*tokens) {
	order := slices.Concat(p.batches...)
	asked := make([]*tokens, len(order))
	for place, i := range order {
		asked[place] = all[i]
	}
	p.added = make([]int, len(all))
	for place, n := range newTokens(asked) {
		p.added[order[place]] = n
	}
}

// newTokens are those of an item; 0 until Measure.
func (p *Plan) newTokens(i int) int {
	if p.added == nil {
		return 0
	}
	return p.added[i]
}

func (p *Plan) countAll(tokenizer backends.Tokenizer, all []*tokens) error {
	counts := make([]int, len(all))
	for i, t := range all {
		counts[i] = t.len()
	}
	byLength := everything(len(counts))
	slices.SortStableFunc(byLength, func(a, b int) int { return counts[b] - counts[a] })
	for _, i := range byLength[:min(surelyLongest, len(byLength))] {
		if oversize(&p.Items[i]) {
			continue
		}
		ids, err := tokenizer.Tokenize(p.Items[i].Prompt())
		if err != nil {
			return err
		}
		counts[i] = len(ids)
	}
	p.tokens = counts
	return nil
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
	w := backends.Workload{Requests: len(p.Items), PromptTokens: longest, UniqueTokens: unique, MaxTokens: p.header.Sampling.MaxTokens}
	if p.keepsLogprobs {
		w.Logprobs = backends.TopLogprobs
	}
	return w
}

// Unfit counts the items whose prompt and cap exceed a context of this many tokens; 0 until Measure.
func (p *Plan) Unfit(context int) int {
	unfit := 0
	for _, n := range p.tokens {
		if n+p.header.Sampling.MaxTokens > context {
			unfit++
		}
	}
	return unfit
}
