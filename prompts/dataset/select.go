package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"proctor/prompts/task"
)

// A Selection picks test questions. The zero value picks all of them.
type Selection struct {
	Subjects []string // as people type them, see [task.Subject]; empty for all
	Limit    int      // how many questions; 0 for all
	First    bool     // the first ones in the set's order, instead of a sample: of all questions, or of every subject's
	Seed     uint64   // of the sample

	// Instead of Limit: this many questions of every subject, or this share of each one's, rounded down but at least one.
	PerSubject int
	Share      float64

	// Chosen are questions that are always selected: by id or by places, see [ReadIDs] and [ReadSubjects]. Without Subjects no others are.
	Chosen []string
}

// BySubject says whether the selection counts questions by subject.
func (s Selection) BySubject() bool { return s.PerSubject > 0 || s.Share > 0 }

// Select returns the picked questions in the set's order.
//
// A limit is shared out in proportion to the subjects' questions, so that the plain share of right answers estimates the set's share: question
// by question, each to the subject that lacks most of its share, so that a larger limit adds to a smaller one. In MMLU-Pro no subject is then a
// question or more away from its share, as by the largest remainder. Within a subject the questions are ranked by sha256("SEED/ID") and the
// first are taken: the same seed picks the same questions whatever the file's order, and a larger limit keeps every question of a smaller one.
func (s *Set) Select(sel Selection) ([]Question, error) {
	if sel.Limit < 0 {
		return nil, fmt.Errorf("limit %d is negative", sel.Limit)
	}
	if sel.BySubject() && sel.Limit > 0 || sel.PerSubject > 0 && sel.Share > 0 || sel.Share < 0 || sel.Share > 1 {
		return nil, errors.New("a limit is a number of questions, a number of every subject's, or a share above 0 and up to 1 of each one's")
	}
	if len(sel.Chosen) > 0 {
		return s.choose(sel)
	}
	questions, err := s.ofSubjects(sel.Subjects)
	if err != nil {
		return nil, err
	}
	if !sel.BySubject() && (sel.Limit == 0 || sel.Limit >= len(questions)) {
		return questions, nil
	}
	return sel.draw(questions), nil
}

func (s *Set) ofSubjects(wanted []string) ([]Question, error) {
	if len(wanted) == 0 {
		return slices.Clone(s.Test), nil
	}
	named, err := s.Named(wanted)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(s.Test), func(q Question) bool { return !slices.Contains(named, q.Subject) }), nil
}

// Named are the subjects that people typed, as [task.Subject] takes them, by their names.
func (s *Set) Named(typed []string) ([]string, error) {
	var named []string
	for _, name := range typed {
		subject, err := task.Subject(name, s.Subjects())
		if err != nil {
			meant := ""
			if errors.Is(err, task.ErrUnknown) {
				meant = task.DidYouMean(task.Nearest(strings.ToLower(name), s.Subjects()))
			}
			return nil, fmt.Errorf("%w; %s%s has: %s", err, meant, s.Name, strings.Join(s.Subjects(), ", "))
		}
		named = append(named, subject)
	}
	return named, nil
}
