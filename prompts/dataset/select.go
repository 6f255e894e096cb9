package dataset

import (
	"bytes"
	"cmp"
	"crypto/sha256"
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
	First    bool     // the first Limit in the set's order, instead of a sample of every subject
	Seed     uint64   // of the sample

	// Instead of Limit: so many questions of every subject, or this share of each one's, rounded down but at least one.
	PerSubject int
	Share      float64
}

// BySubject says whether the selection counts questions by subject.
func (s Selection) BySubject() bool { return s.PerSubject > 0 || s.Share > 0 }

// Select returns the picked questions in the set's order.
//
// A limit is shared out evenly among the subjects; what does not divide, and what small subjects cannot use, goes to
// the subjects with the most questions left. Within a subject the questions are ranked by
// sha256("SEED/ID") and the first are taken: the same seed picks the same questions whatever the
// file's order, and a larger limit keeps every question of a smaller one as long as it gives each subject no less.
func (s *Set) Select(sel Selection) ([]Question, error) {
	if sel.Limit < 0 {
		return nil, fmt.Errorf("limit %d is negative", sel.Limit)
	}
	if sel.BySubject() && (sel.First || sel.Limit > 0) || sel.PerSubject > 0 && sel.Share > 0 || sel.Share < 0 || sel.Share > 1 {
		return nil, errors.New("a limit is a number of questions, of the first ones or a draw, a number of every subject's, " +
			"or a share above 0 and up to 1 of each one's")
	}
	questions, err := s.ofSubjects(sel.Subjects)
	if err != nil {
		return nil, err
	}
	if sel.BySubject() {
		return sample(questions, sel.quotas, sel.Seed), nil
	}
	if sel.Limit == 0 || sel.Limit >= len(questions) {
		return questions, nil
	}
	if sel.First {
		return questions[:sel.Limit], nil
	}
	evenly := func(bySubject map[string][]int) map[string]int { return shareOut(sel.Limit, bySubject) }
	return sample(questions, evenly, sel.Seed), nil
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
			return nil, fmt.Errorf("%w; %s has: %s", err, s.Name, strings.Join(s.Subjects(), ", "))
		}
		named = append(named, subject)
	}
	return named, nil
}

// quotas are how many questions of each subject a selection by subject takes.
func (s Selection) quotas(bySubject map[string][]int) map[string]int {
	quota := map[string]int{}
	for subject, all := range bySubject {
		n := s.PerSubject
		if s.Share > 0 {
			n = max(1, int(s.Share*float64(len(all))+1e-9)) // 0.29·100 is 28.999…
		}
		quota[subject] = min(n, len(all))
	}
	return quota
}

// sample keeps as many questions of each subject as its quota, in their order.
func sample(questions []Question, quotas func(bySubject map[string][]int) map[string]int, seed uint64) []Question {
	bySubject := map[string][]int{}
	for i, q := range questions {
		bySubject[q.Subject] = append(bySubject[q.Subject], i)
	}
	ranks := make([][sha256.Size]byte, len(questions))
	for i, q := range questions {
		ranks[i] = sha256.Sum256(fmt.Appendf(nil, "%d/%d", seed, q.ID))
	}
	quota := quotas(bySubject)
	var picked []int
	for subject, indices := range bySubject {
		slices.SortFunc(indices, func(a, b int) int { return bytes.Compare(ranks[a][:], ranks[b][:]) })
		picked = append(picked, indices[:quota[subject]]...)
	}
	slices.Sort(picked)
	kept := make([]Question, len(picked))
	for i, index := range picked {
		kept[i] = questions[index]
	}
	return kept
}

// shareOut divides limit evenly among the subjects, none getting more than it has. limit is at most the sum.
func shareOut(limit int, bySubject map[string][]int) map[string]int {
	subjects := make([]string, 0, len(bySubject))
	for subject := range bySubject {
		subjects = append(subjects, subject)
	}
	quota := map[string]int{}
	left := func(subject string) int { return len(bySubject[subject]) - quota[subject] }
	for limit > 0 {
		subjects = slices.DeleteFunc(subjects, func(subject string) bool { return left(subject) == 0 })
		slices.SortFunc(subjects, func(a, b string) int {
			return cmp.Or(cmp.Compare(left(b), left(a)), cmp.Compare(a, b))
		})
		share := max(1, limit/len(subjects))
		for _, subject := range subjects {
			n := min(share, left(subject), limit)
			quota[subject] += n
			limit -= n
		}
	}
	return quota
}
