package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/ask/fit"
	"proctor/runner/ask/repeats"
	"proctor/runner/mark/format"
)

// withFewer renders a plan's items with fewer shots, before they become conversations.
func withFewer(eval prompts.Eval, set *dataset.Set, questions []dataset.Question, settings Settings) func(int) ([]prompts.Item, error) {
	return func(shots int) ([]prompts.Item, error) {
		eval.Shots = shots
		items, err := eval.Items(set, questions)
		all, _ := repeats.Of(items, max(1, settings.Repeats), settings.Sampling.Temperature == 0)
		return all, err
	}
}

// fit has a plan's items show fewer shots where they would not fit otherwise. It comes before the items are divided.
func (s *Session) fit(ctx context.Context, p *Plan, dialogue *prompts.Dialogue) error {
	if p.fewer == nil {
		return nil
	}
	room, err := s.room(ctx)
	if err != nil {
		return err
	}
	tokenizer, can := s.model.(backends.Tokenizer)
	if !can {
		return fmt.Errorf("%s counts a prompt's tokens, which this model does not: leave the flag out", setting.ShotsFit)
	}
	shots := fit.Shots{Most: p.header.Shots, Room: room - p.header.Sampling.MaxTokens, Tokenizer: tokenizer, Fewer: p.fewer}
	if dialogue != nil {
		shots.Fewer = func(shots int) ([]prompts.Item, error) {
			items, err := p.fewer(shots)
			if err == nil {
				items, _, err = dialogue.Apply(items)
			}
			return items, err
		}
	}
	replaced, err := shots.Fit(p.Items)
	if errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("%s: %w: leave the flag out, or give %s", setting.ShotsFit, err, setting.Vocabulary)
	}
	if err != nil {
		return err
	}
	p.header.ShotsFit = room
	if replaced > 0 {
		p.measured = nil
		Tell(s.OnPlan, fmt.Sprintf("%s of %s show fewer than %s, to fit a context of %s with %s of answer", format.Count(replaced),
			format.Several(len(p.Items), "prompt"), format.Several(p.header.Shots, "shot"), format.Several(room, "token"),
			format.Count(p.header.Sampling.MaxTokens)))
	}
	return nil
}

// room is how many tokens a prompt with its answer may have.
func (s *Session) room(ctx context.Context) (int, error) {
	info, err := s.model.Info(ctx)
	if err != nil {
		return 0, err
	}
	room := cmp.Or(s.Context, info.Engine.Context, info.Model.ContextLength)
	if room == 0 {
		return 0, fmt.Errorf("%s: the model does not say how large its context is: give %s", setting.ShotsFit, setting.Context.As("TOKENS"))
	}
	return room, nil
}
