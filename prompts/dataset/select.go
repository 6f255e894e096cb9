package dataset

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// A Selection picks test questions. The zero value picks all of them.
type Selection struct {
	Subjects []string // as people type them: case and "_" for a space do not matter; empty for all
	Limit    int      // how many questions; 0 for all
	First    bool     // the first Limit in the set's order, instead of a sample of every subject
	Seed     uint64   // of the sample
}

// Select returns the picked questions in the set's order.
//
// A limit is shared out evenly among the subjects; what does not divide, and what small subjects cannot use, goes to
// the subjects with the most questions left. Within a subject the questions are ranked by
// sha256("SEED/ID") and the first are taken: the same seed picks the same questions whatever the
// file's order, and a larger limit keeps every question of a smaller one as long as it gives each subject no less.
func (s *Set) Select(sel Selection) ([]Question, error) {
	if sel.Limit < 0 {
		return nil, fmt.Errorf("dataset: limit %d is negative", sel.Limit)
	}
	questions, err := s.ofSubjects(sel.Subjects)
	if err != nil {
		return nil, err
	}
	if sel.Limit == 0 || sel.Limit >= len(questions) {
		return questions, nil
	}
	if sel.First {
		return questions[:sel.Limit], nil
	}
	return sample(questions, sel.Limit, sel.Seed), nil
}

func (s *Set) ofSubjects(wanted []string) ([]Question, error) {
	if len(wanted) == 0 {
		return slices.Clone(s.Test), nil
	}
	keep := map[string]bool{}
	for _, subject := range wanted {
		key := subjectKey(subject)
		if !slices.ContainsFunc(s.Subjects(), func(have string) bool { return subjectKey(have) == key }) {
			return nil, fmt.Errorf("dataset: unknown subject %q; %s has: %s", subject, s.Name, strings.Join(s.Subjects(), ", "))
		}
		keep[key] = true
	}
	return slices.DeleteFunc(slices.Clone(s.Test), func(q Question) bool { return !keep[subjectKey(q.Subject)] }), nil
}

// sample keeps limit questions, in their order.
func sample(questions []Question, limit int, seed uint64) []Question {
	bySubject := map[string][]int{}
	for i, q := range questions {
		bySubject[q.Subject] = append(bySubject[q.Subject], i)
	}
	ranks := make([][sha256.Size]byte, len(questions))
	for i, q := range questions {
		ranks[i] = sha256.Sum256(fmt.Appendf(nil, "%d/%d", seed, q.ID))
	}
	quota := shareOut(limit, bySubject)
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
