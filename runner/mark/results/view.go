package results

import (
	"iter"

	"proctor/runner/mark/stats"
)

// A View is some of a run's items, in order, under one rule set. Figures of a question's items together (all right, consistent) are of
// one repeat of the question.
type View struct {
	Items []*Item
	rule  int // which of the run's rule sets
}

// Of is the item under the view's rule set.
func (v View) Of(it *Item) Answer { return Answer{it, &it.Marks[v.rule]} }

// With is some of the view's items under its rule set.
func (v View) With(items []*Item) View { return View{items, v.rule} }

// Where is the view of the items that keep accepts.
func (v View) Where(keep func(*Item) bool) View {
	var items []*Item
	for _, it := range v.Items {
		if keep(it) {
			items = append(items, it)
		}
	}
	return v.With(items)
}

// FirstRepeat is the view of the first repeats.
func (v View) FirstRepeat() View { return v.Where(func(it *Item) bool { return it.Repeat == 1 }) }

// Answers yields the items, errors included.
func (v View) Answers() iter.Seq[Answer] {
	return func(yield func(Answer) bool) {
		for _, it := range v.Items {
			if !yield(v.Of(it)) {
				return
			}
		}
	}
}

// Scored yields the items that count: all but the errors.
func (v View) Scored() iter.Seq[Answer] {
	return func(yield func(Answer) bool) {
		for a := range v.Answers() {
			if !a.Tag.IsError() && !yield(a) {
				return
			}
		}
	}
}

func sameSubject(a, b *Item) bool { return a.Subject == b.Subject }

// SameQuestion says whether two items are of one question.
func SameQuestion(a, b *Item) bool { return a.QuestionID == b.QuestionID && sameSubject(a, b) }

// Subjects, Questions and Repeats yield the view's parts in order, none of them empty. Repeats yields a question's items once for
// every time it was asked; without repeats these are the questions.
func (v View) Subjects() iter.Seq[View]  { return v.split(sameSubject) }
func (v View) Questions() iter.Seq[View] { return v.split(SameQuestion) }
func (v View) Repeats() iter.Seq[View] {
	return v.split(func(a, b *Item) bool { return a.Repeat == b.Repeat && SameQuestion(a, b) })
}

func (v View) split(same func(a, b *Item) bool) iter.Seq[View] {
	return func(yield func(View) bool) {
		for items := range Groups(v.Items, same) {
			if !yield(v.With(items)) {
				return
			}
		}
	}
}

// Groups yields runs of neighbours for which same holds.
func Groups[T any](all []T, same func(a, b T) bool) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for start := 0; start < len(all); {
			end := start + 1
			for end < len(all) && same(all[start], all[end]) {
				end++
			}
			if !yield(all[start:end]) {
				return
			}
			start = end
		}
	}
}

// A Tally counts a view's items.
type Tally struct {
	Items     int `json:"items"` // errors included
	Questions int `json:"questions"`
	Errors    int `json:"errors"` // left out of the score
	Answered  int `json:"answered"`
	Correct   int `json:"correct"`
}

// Tally counts the items.
func (v View) Tally() Tally {
	t := Tally{Items: len(v.Items)}
	for i, it := range v.Items {
		m := &it.Marks[v.rule]
		if m.Tag.IsError() {
			t.Errors++
		}
		if m.Answered() {
			t.Answered++
		}
		if m.Correct {
			t.Correct++
		}
		if i == 0 || !SameQuestion(v.Items[i-1], it) {
			t.Questions++
		}
	}
	return t
}

// QuestionMeans are the shares of each question's scored items that are right, of questions that have any.
func (v View) QuestionMeans() (means []float64) {
	for question := range v.Questions() {
		if share, defined := question.Tally().Accuracy().Get(); defined {
			means = append(means, share)
		}
	}
	return means
}

// Scored is the number of items that count: all but the errors.
func (t Tally) Scored() int { return t.Items - t.Errors }

// AllRight says whether every item is right, none of them an error.
func (t Tally) AllRight() bool { return t.Correct == t.Items }

// Accuracy is correct / scored: an item without an answer counts as wrong.
func (t Tally) Accuracy() stats.Number { return stats.Ratio(t.Correct, t.Scored()) }
