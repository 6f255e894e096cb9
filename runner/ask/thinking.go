package ask

import (
	"context"
	"errors"

	"proctor/backends"
	"proctor/prompts"
	"proctor/runner/ask/budget"
)

// budget has a plan's thinking end at the budget that was chosen, or at the default of a model that thinks, and says so.
func (s *Session) budget(ctx context.Context, p *Plan, dialogue *prompts.Dialogue) error {
	chosen := len(p.choice.Tokens) > 0
	if (p.Task.Direct || p.keepsLogprobs) && !chosen {
		return nil
	}
	if p.Task.Direct || p.keepsLogprobs {
		return errors.New("--think-budget: neither --direct nor --keep-logprobs goes with thinking that is closed by force: give one of them")
	}
	info, err := s.model.Info(ctx)
	if err != nil {
		return err
	}
	of := budget.Dialogue{Context: info.Model.ContextLength, Off: p.think != nil && !*p.think}
	if dialogue != nil {
		of.Prompt = p.Items[0].Prompt()
		if templated, can := s.model.(backends.Templated); can && dialogue.Named == "" {
			of.Template = templated.ChatTemplate().Text
		}
	}
	if p.budget, err = p.choice.For(s.model, of); err != nil || p.budget == nil {
		return err
	}
	p.header.Budgets, p.header.Close = p.budget.Tokens, p.budget.Say
	s.plan(budget.Line(p.budget, p.header.Sampling.MaxTokens, chosen))
	return nil
}

// mostTokens is how many a completion may have, its thinking counted.
func (p *Plan) mostTokens() int {
	if p.budget == nil {
		return p.header.Sampling.MaxTokens
	}
	return p.header.Sampling.MaxTokens + p.budget.Room()
}
