package metrics

import (
	"slices"

	"proctor/runner/mark/results"
)

// A PromptLength is the figures of the items whose prompts have From to To tokens.
type PromptLength struct {
	From int `json:"from"` // tokens
	To   int `json:"to"`
	Figures
}

// lengthParts is in how many parts, about as large as each other, byPromptLength splits a run, of at least so many items each.
const lengthParts, lengthItems = 5, 10

// byPromptLength makes the figures of a run's items by how long their prompts are, in tokens; none where these are not counted, or
// the items are few or alike.
func byPromptLength(v results.View, figures func(results.View) Figures) []PromptLength {
	var tokens []int
	for a := range v.Scored() {
		if a.Usage.PromptTokens == 0 {
			return nil
		}
		tokens = append(tokens, a.Usage.PromptTokens)
	}
	if len(tokens) < lengthParts*lengthItems {
		return nil
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
		parts = append(parts, PromptLength{from, to, figures(part)})
		from = to + 1
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}
