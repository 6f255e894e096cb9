package ask

import (
	"context"
	"fmt"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/runner/ask/budget"
)

// expect finds out how long completions are going to be: as in the run so far, or the one that this one is held against; else as long
// as the budget lets them get, or as chains of thought mostly are.
func (p *Plan) expect(ctx context.Context, model backends.Model, d budget.Dialogue) error {
	p.length = budget.Length{}
	var budgets []int
	if p.budget != nil {
		budgets = p.budget.Tokens
	}
	most := p.header.Sampling.MaxTokens
	all := p.mostTokens() * max(1, len(budgets))
	if p.begun != "" {
		p.earlier = budget.EarlierOf(p.begun, budgets, all)
		p.length = p.earlier.Length
		if err := p.undo(); err != nil {
			return err
		}
	}
	if p.Task.Direct || most == 0 {
		return nil
	}
	if until := p.header.Selection.UntilDecided; until != nil && p.length.Tokens == 0 {
		p.length = budget.EarlierOf(until.Run, budgets, all).Length
	}
	if p.length.Tokens == 0 && p.budget != nil {
		p.length = budget.Full(budgets, min(most, backends.AssumedOutput))
	}
	if p.length.Tokens > 0 {
		return nil
	}
	p.length = budget.Assumed(most)
	if d.Prompt == "" {
		return nil
	}
	thinks, err := budget.Thinks(ctx, model, d)
	if thinks {
		p.length = budget.ToCap(most)
	}
	return err
}

// budget has a plan's thinking end at the budget that was chosen, or at the default of a model that thinks, and says so.
func (s *Session) budget(ctx context.Context, p *Plan, dialogue *prompts.Dialogue) (err error) {
	d := budget.Dialogue{Off: p.think != nil && !*p.think, Drawn: !p.Task.Direct && !p.keepsLogprobs}
	if dialogue != nil {
		d.Prompt, d.Own = p.Items[0].Prompt(), dialogue.Named == ""
	}
	if mark := budget.Shut(d); mark != "" && !p.Task.Direct && p.choice.Tokens == nil {
		Tell(s.Warn, fmt.Sprintf("the model does not think: the chat template closes its thinking at once (prompts end in %q); %s has it "+
			"think, %s says that this is meant", mark, setting.Think.As("on"), setting.Think.As("off")))
	}
	if p.budget, err = p.choice.Of(ctx, s.model, d); err != nil {
		return err
	}
	if err := p.expect(ctx, s.model, d); err != nil || p.budget == nil {
		return err
	}
	p.header.Budgets = p.budget.Tokens
	Tell(s.OnPlan, budget.Line(p.budget, p.header.Sampling.MaxTokens, len(p.choice.Tokens) > 0))
	return nil
}

// mostTokens is how many a completion may have, its thinking counted.
func (p *Plan) mostTokens() int {
	if p.budget == nil {
		return p.header.Sampling.MaxTokens
	}
	return p.header.Sampling.MaxTokens + p.budget.Room()
}
