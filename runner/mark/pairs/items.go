package pairs

import (
	"fmt"

	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
)

// shared are the items that both runs have a score for, under one rule set each, in the same order.
type shared struct {
	a, b     results.View
	failed   int         // items in both runs that failed in one or both
	unshared int         // items of one run only
	mismatch int         // items whose options or gold letters differ
	planned  map[key]int // items of each question, in the run that has more of them
}

// A question is its shared items as both runs answered them, and whether none of them is missing in either run.
type question struct {
	a, b  results.View
	whole bool
}

func (q question) subject() string { return q.a.Items[0].Subject }

// key names a question.
type key struct {
	subject  string
	question int
}

func keyOf(it *results.Item) key { return key{it.Subject, it.QuestionID} }

func sharedBy(a, b results.View) shared {
	s := shared{planned: map[key]int{}}
	others, inA := map[string]*results.Item{}, map[key]int{}
	for _, it := range b.Items {
		others[it.ID] = it
		s.planned[keyOf(it)]++
	}
	inB := len(others)
	var itemsA, itemsB []*results.Item
	for x := range a.Answers() {
		question := keyOf(x.Item)
		inA[question]++
		s.planned[question] = max(s.planned[question], inA[question])
		other, both := others[x.ID]
		switch {
		case !both:
			s.unshared++
			continue
		case x.Options != other.Options || x.Gold != other.Gold:
			s.mismatch++
		case x.Tag.IsError() || b.Of(other).Tag.IsError():
			s.failed++
		default:
			itemsA, itemsB = append(itemsA, x.Item), append(itemsB, other)
		}
		inB--
	}
	s.unshared += inB
	s.a, s.b = a.With(itemsA), b.With(itemsB)
	return s
}

// questions groups the items, which are sorted by subject and question.
func (s shared) questions() []question {
	var questions []question
	start := 0
	for a := range s.a.Questions() {
		end := start + len(a.Items)
		questions = append(questions, question{a, s.b.With(s.b.Items[start:end]), len(a.Items) == s.planned[keyOf(a.Items[0])]})
		start = end
	}
	return questions
}

// leftOut counts the items that the comparison leaves out; warnings list them.
func (s shared) leftOut() (n int, warnings []string) {
	for _, left := range []struct {
		n   int
		why string
	}{
		{s.failed, "failed in one of the runs or both"},
		{s.unshared, "asked in one of the runs only"},
		{s.mismatch, "with other options or another gold letter"},
	} {
		if n += left.n; left.n > 0 {
			warnings = append(warnings, fmt.Sprintf("%s %s, left out", format.Several(left.n, "item"), left.why))
		}
	}
	return n, warnings
}

// Answers are both runs' answers to the items that both have a score for; leftOut describes the others.
func Answers(a, b *Run) (answers [][2]results.Answer, leftOut []string) {
	s := sharedBy(a.Marked.View(0), b.Marked.View(0))
	for i, it := range s.a.Items {
		answers = append(answers, [2]results.Answer{s.a.Of(it), s.b.Of(s.b.Items[i])})
	}
	_, leftOut = s.leftOut()
	return answers, leftOut
}
