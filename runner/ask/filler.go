package ask

import (
	"errors"

	"proctor/backends"
	"proctor/prompts/filler"
)

// Fill puts other text before the plan's prompts, where it is to have any, which is as long as that should be by a count of tokens.
func (p *Plan) Fill(count Count) error {
	if p.header.Filler == 0 {
		return nil
	}
	items, err := filler.Fill(p.Items, p.set, p.header.Selection.Seed, p.header.Filler, count)
	if err != nil {
		return err
	}
	p.Items, p.measured = items, nil
	p.header.Preambles = p.preambles()
	return nil
}

// fill fills the plans' prompts, by the model's own tokens where it tells them.
func (s *Session) fill() error {
	count := Count(Estimate)
	if tokenizer, tells := s.model.(backends.Tokenizer); tells {
		if _, err := tokenizer.Tokenize(""); !errors.Is(err, errors.ErrUnsupported) { // a server's model can lack its vocabulary here
			count = Counting(tokenizer)
		}
	}
	for _, plan := range s.plans {
		if err := plan.Fill(count); err != nil {
			return err
		}
	}
	return nil
}
