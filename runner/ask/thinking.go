package ask

import (
	"context"

	"proctor/prompts"
	"proctor/runner/ask/budget"
)

// budget has a plan's thinking end at the budget that was chosen, or at the default of a model that thinks, and says so.
func (s *Session) budget(ctx context.Context, p *Plan, dialogue *prompts.Dialogue) (err error) {
	d := budget.Dialogue{Off: p.think != nil && !*p.think, Drawn: !p.Task.Direct && !p.keepsLogprobs}
	if dialogue != nil {
		d.Prompt, d.Own = p.Items[0].Prompt(), dialogue.Named == ""
	}
	if p.budget, err = p.choice.Of(ctx, s.model, d); err != nil || p.budget == nil {
		return err
	}
	p.header.Budgets, p.header.Close = p.budget.Tokens, p.budget.Say
	s.plan(budget.Line(p.budget, p.header.Sampling.MaxTokens, len(p.choice.Tokens) > 0))
	return nil
}

// mostTokens is how many a completion may have, its thinking counted.
func (p *Plan) mostTokens() int {
	if p.budget == nil {
		return p.header.Sampling.MaxTokens
	}
	return p.header.Sampling.MaxTokens + p.budget.Room()
}
