package runner

import (
	"proctor/backends"
	"proctor/runner/grade"
)

// thinkingTokens counts the tokens of a completion's thinking where the answers are marked without it and the backend,
// for which it is text like any other, did not count them. A tokenizer that fails here leaves it at that: the model's
// answer is there.
func (p *Plan) thinkingTokens(model backends.Model, c *backends.Completion) int {
	tokenizer, ok := model.(backends.Tokenizer)
	thought := grade.Thinking(c.Text)
	if c.Usage.ThinkingTokens > 0 || !ok || !p.header.Strip || thought == "" {
		return c.Usage.ThinkingTokens
	}
	whole, err := tokenizer.Tokenize(thought)
	if err != nil {
		return 0
	}
	nothing, err := tokenizer.Tokenize("") // the token that texts begin with
	if err != nil {
		return 0
	}
	return max(0, min(len(whole)-len(nothing), c.Usage.OutputTokens))
}
