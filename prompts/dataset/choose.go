package dataset

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// choose returns the questions that a selection chose one by one, with all those of its subjects, in the set's order. A choice that the set
// lacks is an error.
func (s *Set) choose(sel Selection) ([]Question, error) {
	if sel.Limit > 0 || sel.First || sel.BySubject() {
		return nil, errors.New("a limit does not apply to chosen questions, which are all used: leave one of the two out")
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

// mark marks the questions that a text chooses, see [choiceOf].
func (s *Set) mark(text string, keep []bool) error {
	c, err := choiceOf(text)
	if err != nil {
		return err
	}
	if c.subject == "" {
		i := slices.IndexFunc(s.Test, func(q Question) bool { return q.ID == c.id })
		if i < 0 {
			byID := func(a, b Question) int { return a.ID - b.ID }
			return fmt.Errorf("there is no question %d: it has %d, with ids from %d to %d; `proctor data show` shows them", c.id, len(s.Test),
				slices.MinFunc(s.Test, byID).ID, slices.MaxFunc(s.Test, byID).ID)
		}
		keep[i] = true
		return nil
	}
	subjects, err := s.Named([]string{c.subject})
	if err != nil {
		return err
	}
	place := 0
	for i, q := range s.Test {
		if q.Subject == subjects[0] {
			place++
			keep[i] = keep[i] || c.from <= place && place <= c.to
		}
	}
	if place < c.to {
		return fmt.Errorf("it has %d questions of %s, and %d is beyond them", place, subjects[0], c.to)
	}
	return nil
}

// A choice is one question by its id, or some of a subject's by their places.
type choice struct {
	id       int
	subject  string // as people type it; empty for an id
	from, to int    // places among the subject's questions in the set's order, from 1
}

// span matches the places behind a subject.
var span = regexp.MustCompile(`^(.+):(\d+)(?:-(\d+))?$`)

// ReadSubjects reads subjects with commas between. Those with places behind them, as in math:1-50, choose questions one by one.
func ReadSubjects(list string) (subjects, chosen []string, err error) {
	for text := range strings.SplitSeq(list, ",") {
		if !span.MatchString(strings.TrimSpace(text)) {
			subjects = append(subjects, text)
			continue
		}
		if _, err := choiceOf(text); err != nil {
			return nil, nil, err
		}
		chosen = append(chosen, strings.TrimSpace(text))
	}
	return subjects, chosen, nil
}

// choiceOf reads a choice: 70, math:7 or math:1-50.
func choiceOf(text string) (c choice, err error) {
	text = strings.TrimSpace(text)
	m := span.FindStringSubmatch(text)
	if m == nil {
		c.id, err = strconv.Atoi(text)
		if err != nil || c.id < 0 {
			err = fmt.Errorf("%q is not a question id: ids are whole numbers, as in 70,71", text)
		}
		return c, err
	}
	c.subject = strings.TrimSpace(m[1])
	var wrong error
	c.from, err = strconv.Atoi(m[2])
	if c.to = c.from; m[3] != "" {
		c.to, wrong = strconv.Atoi(m[3])
	}
	if err != nil || wrong != nil || c.from < 1 || c.to < c.from {
		err = fmt.Errorf("%q: the places of a subject's questions count from 1, as in math:1-50", text)
	}
	return c, err
}

// ReadIDs reads a list of ids with commas, spaces or line feeds between; what follows a # in a line is a comment.
func ReadIDs(text string) (ids []string, err error) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) }) {
			c, err := choiceOf(word)
			if err != nil || c.subject != "" {
				return nil, fmt.Errorf("%q is not a question id: ids are whole numbers, as in 70,71", word)
			}
			ids = append(ids, strconv.Itoa(c.id))
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("there is no id in it: give some, as in 70,71")
	}
	return slices.Compact(ids), nil
}
