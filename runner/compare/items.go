package compare

import (
	"fmt"

	"proctor/runner/results"
	"proctor/runner/words"
)

// An itemPair is one item as run A and as run B answered it.
type itemPair [2]results.Answer

// A question is its items as two runs answered them, and whether none of them is missing in either run.
type question struct {
	subject string
	items   []itemPair
	whole   bool
}

// shared are the items that both runs have a score for, under one rule set each, in order.
type shared struct {
	items    []itemPair
	failed   int         // items that both were asked and one or both failed
	unshared int         // items of one run only
	mismatch int         // items whose options or gold letter differ
	asked    map[key]int // items of each question, in the run that has more of them
}

// key names a question.
type key struct {
	subject  string
	question int
}

func keyOf(it *results.Item) key { return key{it.Subject, it.QuestionID} }

func sharedBy(a, b results.View) shared {
	s := shared{asked: map[key]int{}}
	others, inA := map[string]results.Answer{}, map[key]int{}
	for y := range b.Answers() {
		others[y.ID] = y
		s.asked[keyOf(y.Item)]++
	}
	inB := len(others)
	for x := range a.Answers() {
		question := keyOf(x.Item)
		inA[question]++
		s.asked[question] = max(s.asked[question], inA[question])
		y, both := others[x.ID]
		switch {
		case !both:
			s.unshared++
			continue
		case x.Options != y.Options || x.Gold != y.Gold:
			s.mismatch++
		case x.Tag.IsError() || y.Tag.IsError():
			s.failed++
		default:
			s.items = append(s.items, itemPair{x, y})
		}
		inB--
	}
	s.unshared += inB
	return s
}

// questions groups the items, which are sorted by subject and question.
func (s shared) questions() []question {
	var questions []question
	sameQuestion := func(x, y itemPair) bool { return results.SameQuestion(x[0].Item, y[0].Item) }
	for items := range results.Groups(s.items, sameQuestion) {
		first := items[0][0].Item
		questions = append(questions, question{first.Subject, items, len(items) == s.asked[keyOf(first)]})
	}
	return questions
}

// leftOut is how many items the comparison is without, and warnings say which.
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
			warnings = append(warnings, fmt.Sprintf("%s %s, left out", words.Several(left.n, "item"), left.why))
		}
	}
	return n, warnings
}
