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
	of := make([]choices.Question, len(s.Test))
	for i, q := range s.Test {
		of[i] = choices.Question{ID: q.ID, Subject: q.Subject}
	}
	keep, err := choices.Find(sel.Chosen, of, s.Named)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	var questions []Question
	for i, q := range s.Test {
		if keep[i] || slices.Contains(whole, q.Subject) {
			questions = append(questions, q)
		}
	}
	return questions, nil
}
