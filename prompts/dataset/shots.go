package dataset

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends/setting"
)

// AllSubjects stands for every subject.
const AllSubjects = ""

// ShotsOf returns the validation questions that can be shots of a subject, in the order of the file. Where validation questions
// have no subjects, they serve all; [AllSubjects] has all of them. Those that are test questions too are left out, see [Overlap].
func (s *Set) ShotsOf(subject string) []Question {
	overlapping := map[int]bool{}
	for _, both := range s.Overlaps {
		overlapping[both.Validation] = true
	}
	all := slices.DeleteFunc(slices.Clone(s.Validation), func(q Question) bool { return overlapping[q.ID] })
	own := slices.DeleteFunc(slices.Clone(all), func(q Question) bool { return subject != AllSubjects && q.Subject != subject })
	if len(own) == 0 && slices.Equal(subjectsOf(s.Validation), []string{DefaultSubject}) {
		return all
	}
	return own
}

// Shots returns the first n of [Set.ShotsOf], as every reference implementation picks them.
func (s *Set) Shots(subject string, n int) ([]Question, error) {
	shots := s.ShotsOf(subject)
	if len(shots) >= n {
		return shots[:n], nil
	}
	left := ""
	if count := len(s.Overlaps); count > 0 {
		left = fmt.Sprintf(" (%s, left out)", Counted(count, "validation question", "also in the test split"))
	}
	return nil, fmt.Errorf("%s has %d validation questions for subject %q%s, %d shots need %d; "+
		"ask for fewer shots (%s), or give a file of them (%s)", s.Name, len(shots), subject, left, n, n, setting.Shots.As("N"),
		setting.ShotsFile.As("FILE"))
}

// Overlap is a validation question that the test split has as well: as a shot it would give its answer away.
type Overlap struct {
	Validation int `json:"validation"` // the question's id
	Test       int `json:"test"`       // the first test question with the same text and options
}

// overlaps compares the splits: questions are the same that have the same text and options, in whatever order, spaces around
// them and filler aside. All test questions count, also those that a run does not draw, so that shots do not depend on the draw.
func (s *Set) overlaps() []Overlap {
	texts := map[string]bool{} // a key is long, and few test questions need one
	for _, q := range s.Validation {
		texts[strings.TrimSpace(q.Text)] = true
	}
	test := map[string]int{}
	for _, q := range s.Test {
		if !texts[strings.TrimSpace(q.Text)] {
			continue
		}
		if _, seen := test[q.key()]; !seen {
			test[q.key()] = q.ID
		}
	}
	all := []Overlap{}
	for _, q := range s.Validation {
		if id, found := test[q.key()]; found {
			all = append(all, Overlap{Validation: q.ID, Test: id})
		}
	}
	return all
}

// key is the same for questions with the same text and options.
func (q Question) key() string {
	parts := []string{strings.TrimSpace(q.Text)}
	for _, option := range q.WithoutFiller().Options {
		parts = append(parts, strings.TrimSpace(option))
	}
	slices.Sort(parts[1:])
	return strings.Join(parts, "\x00")
}
