package metrics

import "proctor/runner/mark/results"

// A PromptLength is the figures of the items whose prompts have From to To tokens.
type PromptLength struct {
	From int `json:"from"` // tokens
	To   int `json:"to"`
	Figures
}

// byPromptLength makes the figures of a run's items by how long their prompts are, in tokens; none where these are not counted, or
// the items are few or alike.
func byPromptLength(v results.View, figures func(results.View) Figures) []PromptLength {
	var parts []PromptLength
	for _, part := range v.Fifths(func(it *results.Item) int { return it.Usage.PromptTokens }) {
		parts = append(parts, PromptLength{part.From, part.To, figures(part.View)})
	}
	return parts
}
