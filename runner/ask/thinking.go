package ask

import (
	"context"

	"proctor/backends"
	"proctor/runner/ask/budget"
)

// expect finds out how long completions are going to be: as in the run so far, or the one that this one is held against; else as long
// as the budget lets them get. Without any of those nobody knows, unless the model thinks.
func (p *Plan) expect(ctx context.Context, model backends.Model, d budget.Dialogue) error {
	p.length = budget.Length{}
	most := p.header.Sampling.MaxTokens
	if p.Task.Direct || most == 0 {
		return nil
	}
	var budgets []int
	if p.budget != nil {
		budgets = p.budget.Tokens
	}
	for _, run := range []string{p.begun, p.reference()} {
		if run != "" && p.length.Tokens == 0 {
			p.length = budget.Earlier(run, budgets, p.mostTokens()*max(1, len(budgets)))
		}
	}
	switch {
	case p.length.Tokens > 0:
	case p.budget != nil:
		p.length = budget.Full(budgets, min(most, AssumedOutput))
	case d.Prompt != "":
		thinks, err := budget.Thinks(ctx, model, d)
		if err != nil {
			return err
		}
		if thinks {
			p.length = budget.ToCap(most)
		}
	}
	return nil
}

// reference is the run that the plan is held against; empty for none.
func (p *Plan) reference() string {
	if until := p.header.Selection.UntilDecided; until != nil {
		return until.Run
	}
	return ""
}
