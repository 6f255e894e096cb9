package metrics

import (
	"slices"

	"proctor/runner/results"
)

// A PromptLength is the figures of the items whose prompts have From to To tokens.
type PromptLength struct {
	From, To int
	Figures
}

// lengthParts is in how many parts, about as large as each other, ByPromptLength splits a run, of at least so many items each.
const (
	lengthParts = 5
	lengthItems = 10
)

// ByPromptLength makes the figures of a run's items by how long their prompts are, in tokens; none where these are not counted, or
// the items are few or alike.
func ByPromptLength(run *results.Run, o Options) ([]PromptLength, error) {
	v := run.View(0)
	s, err := o.withDefaults(&run.Header)
	if err != nil {
		return nil, err
	}
	s.draw = drawOf(run.Header.Selection, v)
	_, own, err := taskOf(&run.Header, v, s)
	if err != nil {
		return nil, err
	}
	var tokens []int
	for a := range v.Scored() {
		if a.Usage.PromptTokens == 0 {
			return nil, nil
		}
		tokens = append(tokens, a.Usage.PromptTokens)
	}
	if len(tokens) < lengthParts*lengthItems {
		return nil, nil
	}
	slices.Sort(tokens)
	var parts []PromptLength
	from := tokens[0]
	for k := 1; k <= lengthParts && from <= tokens[len(tokens)-1]; k++ {
		to := tokens[len(tokens)*k/lengthParts-1]
		if to < from {
			continue
		}
		part := v.Where(func(it *results.Item) bool { return it.Usage.PromptTokens >= from && it.Usage.PromptTokens <= to })
		parts = append(parts, PromptLength{from, to, s.figures(part, own)})
		from = to + 1
	}
	if len(parts) < 2 {
		return nil, nil
	}
	return parts, nil
}
