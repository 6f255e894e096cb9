package dataset

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"proctor/prompts/task"
)

// A Selection picks test questions. The zero value picks all of them.
type Selection struct {
	Subjects []string // as people type them, see [task.Subject]; empty for all
	Limit    int      // how many questions; 0 for all
	First    bool     // the first ones in the set's order, instead of a sample: of all questions, or of every subject's
	Seed     uint64   // of the sample

	// Instead of Limit: this number of questions of every subject, or this share of them, rounded down but at least one.
	PerSubject int
	Share      float64

	// Chosen are always selected: by id or by places, see [ReadIDs] and [ReadSubjects]. Without Subjects no others are.
	Chosen []string
}

// BySubject says whether the selection counts questions by subject.
func (s Selection) BySubject() bool { return s.PerSubject > 0 || s.Share > 0 }

// Select returns the picked questions in the set's order.
//
// A limit is shared out in proportion to the subjects' questions, so that the plain share of right answers estimates
// the set's share: question by question, each to the subject that lacks most of its share. In MMLU-Pro no subject is
// then a question or more away from its share. Within a subject the questions are ranked by sha256("SEED/ID"): the same
// seed picks the same questions whatever the file's order, and a larger limit adds to a smaller one.
func (s *Set) Select(sel Selection) ([]Question, error) {
	if sel.Limit < 0 {
		return nil, fmt.Errorf("limit %d is negative", sel.Limit)
	}
	if sel.BySubject() && sel.Limit > 0 || sel.PerSubject > 0 && sel.Share > 0 || sel.Share < 0 || sel.Share > 1 {
		return nil, errors.New("a limit is a number of questions, a number of every subject's, or a share above 0 and up " +
			"to 1 of each one's")
	}
	choosing := len(sel.Chosen) > 0
	if choosing && (sel.Limit > 0 || sel.First || sel.BySubject()) {
		return nil, errors.New("a limit does not apply to chosen questions, which are all used: leave one of the two out")
	}
	named, err := s.Named(sel.Subjects)
	if err != nil {
		return nil, err
	}
	keep := map[int]bool{} // by id
	for _, q := range s.Test {
		keep[q.ID] = len(named) == 0 && !choosing || slices.Contains(named, q.Subject)
	}
	for _, text := range sel.Chosen {
		if err := s.mark(text, keep); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	questions := slices.DeleteFunc(slices.Clone(s.Test), func(q Question) bool { return !keep[q.ID] })
	if choosing || !sel.BySubject() && (sel.Limit == 0 || sel.Limit >= len(questions)) {
		return questions, nil
	}
	return sel.draw(questions), nil
}

// Named are the subjects that people typed, as [task.Subject] takes them, by their names.
func (s *Set) Named(typed []string) (named []string, err error) {
	subjects := s.Subjects()
	for _, name := range typed {
		subject, err := task.Subject(name, subjects)
		if err != nil {
			meant := ""
			if errors.Is(err, task.ErrUnknown) {
				meant = task.DidYouMean(task.Nearest(strings.ToLower(name), subjects))
			}
			return nil, fmt.Errorf("%w; %s%s has: %s", err, meant, s.Name, strings.Join(subjects, ", "))
		}
		named = append(named, subject)
	}
	return named, nil
}

// draw keeps the questions that come first by rank, as many of each subject as its quota, in their order.
func (s Selection) draw(questions []Question) []Question {
	if s.First && !s.BySubject() {
		return questions[:s.Limit]
	}
	rank, all := map[int]string{}, map[string]int{} // all is how many questions each subject has
	for _, q := range questions {
		if all[q.Subject]++; !s.First {
			rank[q.ID] = s.rank(q.ID)
		}
	}
	quota, kept := s.quotas(all), map[int]bool{}
	byRank := func(a, b Question) int { return cmp.Compare(rank[a.ID], rank[b.ID]) }
	for _, q := range slices.SortedStableFunc(slices.Values(questions), byRank) {
		quota[q.Subject]--
		kept[q.ID] = quota[q.Subject] >= 0
	}
	return slices.DeleteFunc(questions, func(q Question) bool { return !kept[q.ID] })
}

// rank orders questions by their ids, and subjects by their names, as the seed has it.
func (s Selection) rank(of any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%v", s.Seed, of))
	return string(sum[:])
}

// quotas returns how many questions of each subject are taken. A limit goes one at a time to the subject with the
// largest all/(quota + ½), as Sainte-Laguë's method does, which rounds shares without favour to large subjects or
// small ones. Of equal ones the seed says which.
func (s Selection) quotas(all map[string]int) map[string]int {
	quota := map[string]int{}
	for subject, n := range all {
		if s.Share > 0 {
			quota[subject] = max(1, int(s.Share*float64(n)+1e-9)) // 0.29·100 is 28.999…
		} else {
			quota[subject] = min(n, s.PerSubject) // 0 for a limit
		}
	}
	subjects := slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Compare(s.rank(a), s.rank(b)) })
	for range s.Limit {
		next, most := "", 0.0
		for _, subject := range subjects {
			if lacks := float64(all[subject]) / (float64(quota[subject]) + 0.5); quota[subject] < all[subject] && lacks > most {
				next, most = subject, lacks
			}
		}
		quota[next]++
	}
	return quota
}

// mark marks the questions that a text chooses, see [choiceOf]. A choice that the set lacks is an error.
func (s *Set) mark(text string, keep map[int]bool) error {
	c, err := choiceOf(text)
	if err != nil {
		return err
	}
	if c.subject == "" {
		if _, there := keep[c.id]; !there {
			ids := slices.Sorted(maps.Keys(keep))
			return fmt.Errorf("there is no question %d: it has %d, with ids from %d to %d; `proctor data show` shows them",
				c.id, len(ids), ids[0], ids[len(ids)-1])
		}
		keep[c.id] = true
		return nil
	}
	subjects, err := s.Named([]string{c.subject})
	if err != nil {
		return err
	}
	place := 0
	for _, q := range s.Test {
		if q.Subject == subjects[0] {
			place++
			keep[q.ID] = keep[q.ID] || c.from <= place && place <= c.to
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

// choiceOf reads a choice: 70, math:7 or math:1-50.
func choiceOf(text string) (c choice, err error) {
	text = strings.TrimSpace(text)
	m := span.FindStringSubmatch(text)
	if m == nil {
		if c.id, err = strconv.Atoi(text); err != nil || c.id < 0 {
			err = fmt.Errorf("%q is not a question id: ids are whole numbers, as in 70,71", text)
		}
		return c, err
	}
	c.subject = strings.TrimSpace(m[1])
	from, err := strconv.Atoi(m[2])
	to, wrong := strconv.Atoi(cmp.Or(m[3], m[2]))
	if c.from, c.to = from, to; err != nil || wrong != nil || from < 1 || to < from {
		return c, fmt.Errorf("%q: the places of a subject's questions count from 1, as in math:1-50", text)
	}
	return c, nil
}

// ReadSubjects reads subjects with commas between. Those with places, as in math:1-50, choose single questions.
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

// ReadIDs reads a list of ids with commas, spaces or line feeds between; what follows a # in a line is a comment.
func ReadIDs(text string) (ids []string, err error) {
	for word := range strings.FieldsSeq(betweenIDs.ReplaceAllString(text, " ")) {
		c, err := choiceOf(word)
		if err != nil || c.subject != "" {
			return nil, fmt.Errorf("%q is not a question id: ids are whole numbers, as in 70,71", word)
		}
		ids = append(ids, strconv.Itoa(c.id))
	}
	if len(ids) == 0 {
		return nil, errors.New("there is no id in it: give some, as in 70,71")
	}
	return slices.Compact(ids), nil
}

var betweenIDs = regexp.MustCompile(`#.*|,`)
