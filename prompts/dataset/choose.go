package dataset

import (
	"errors"
	"fmt"
	"slices"

	"proctor/prompts/dataset/choices"
)

// choose returns the questions that a selection chose one by one, with all those of its subjects, in the set's order. What is not
// there is an error.
func (s *Set) choose(sel Selection) ([]Question, error) {
	if sel.Limit > 0 || sel.First || sel.BySubject() {
		return nil, errors.New("questions that are chosen are all asked, and no limit goes with them: leave one of the two out")
	}
	whole, err := s.Named(sel.Subjects)
	if err != nil {
		return nil, err
	}
	keep := make([]bool, len(s.Test))
	for i, q := range s.Test {
		keep[i] = slices.Contains(whole, q.Subject)
	}
	for _, text := range sel.Chosen {
		if err := s.mark(text, keep); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	var questions []Question
	for i, q := range s.Test {
		if keep[i] {
			questions = append(questions, q)
		}
	}
	return questions, nil
}

// mark marks the questions that a text chooses, see [choices.Parse].
func (s *Set) mark(text string, keep []bool) error {
	c, err := choices.Parse(text)
	if err != nil {
		return err
	}
	if c.Subject == "" {
		i := slices.IndexFunc(s.Test, func(q Question) bool { return q.ID == c.ID })
		if i < 0 {
			byID := func(a, b Question) int { return a.ID - b.ID }
			return fmt.Errorf("there is no question %d: it has %d, with ids from %d to %d; `proctor data show` shows them", c.ID, len(s.Test),
				slices.MinFunc(s.Test, byID).ID, slices.MaxFunc(s.Test, byID).ID)
		}
		keep[i] = true
		return nil
	}
	subjects, err := s.Named([]string{c.Subject})
	if err != nil {
		return err
	}
	place := 0
	for i, q := range s.Test {
		if q.Subject == subjects[0] {
			place++
			keep[i] = keep[i] || c.From <= place && place <= c.To
		}
	}
	if place < c.To {
		return fmt.Errorf("it has %d questions of %s, and %d is beyond them", place, subjects[0], c.To)
	}
	return nil
}
