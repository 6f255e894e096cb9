package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"proctor/prompts/dataset/choices"
)

// choose returns the questions that a selection chose one by one, with all those of its subjects, in the set's order. What is not
// there is an error.
func (s *Set) choose(sel Selection) ([]Question, error) {
	if sel.Limit > 0 || sel.First || sel.BySubject() {
		return nil, errors.New("questions that are chosen are all asked, and no limit goes with them: leave one of the two out")
	}
	keep := map[int]bool{} // by its index
	if len(sel.Subjects) > 0 {
		named, err := s.Named(sel.Subjects)
		if err != nil {
			return nil, err
		}
		for i, q := range s.Test {
			keep[i] = slices.Contains(named, q.Subject)
		}
	}
	places := s.places()
	for _, text := range sel.Chosen {
		c, err := choices.Parse(text)
		if err != nil {
			return nil, err
		}
		at := places[strconv.Itoa(c.ID)]
		if c.Subject != "" {
			if at, err = s.ofSpan(c); err != nil {
				return nil, err
			}
		}
		if len(at) == 0 {
			return nil, s.lacks(c.ID)
		}
		for _, i := range at {
			keep[i] = true
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

// ofSpan are the indices of a subject's questions at some places.
func (s *Set) ofSpan(c choices.Choice) ([]int, error) {
	named, err := s.Named([]string{c.Subject})
	if err != nil {
		return nil, err
	}
	var of []int
	for i, q := range s.Test {
		if q.Subject == named[0] {
			of = append(of, i)
		}
	}
	if c.To > len(of) {
		return nil, fmt.Errorf("%s has %d questions of %s, and %d is beyond them", s.Name, len(of), named[0], c.To)
	}
	return of[c.From-1 : c.To], nil
}

// places are the indices of the questions by their ids.
func (s *Set) places() map[string][]int {
	at := map[string][]int{}
	for i, q := range s.Test {
		at[strconv.Itoa(q.ID)] = append(at[strconv.Itoa(q.ID)], i)
	}
	return at
}

// lacks says that there is no question of an id, and which ids there are.
func (s *Set) lacks(id int) error {
	least, most := id, id
	for i, q := range s.Test {
		if i == 0 {
			least, most = q.ID, q.ID
		}
		least, most = min(least, q.ID), max(most, q.ID)
	}
	return fmt.Errorf("%s has no question %d: it has %d, with ids from %d to %d; `proctor data show` shows them", s.Name, id, len(s.Test),
		least, most)
}
