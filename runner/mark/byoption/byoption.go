// Package byoption says how a run of true-or-false items does on each kind of answer option: by the option's letter, and by what kind
// of text it is.
//
// Neighbours: runner/mark/option tells kinds, runner/mark/metrics makes the figures of the whole run, with the [Confusions] of this
// package.
package byoption

import (
	"maps"
	"slices"

	"proctor/runner/mark/option"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Yes is the letter of the answer "True" in a true-or-false item.
const Yes = "A"

// Confusions counts the scored items of each question.
func Confusions(v results.View) []stats.Confusion {
	var all []stats.Confusion
	for question := range v.Questions() {
		var c stats.Confusion
		for a := range question.Scored() {
			switch {
			case a.Gold == Yes && a.Correct:
				c.TruePositive++
			case a.Gold == Yes:
				c.FalseNegative++
			case a.Correct:
				c.TrueNegative++
			default:
				c.FalsePositive++
			}
		}
		all = append(all, c)
	}
	return all
}

// Figures are those of the items that ask about one sort of option. An item without an answer counts as the wrong one.
type Figures struct {
	Of       string         `json:"of"`    // the letter or the kind
	Items    int            `json:"items"` // scored
	Gold     int            `json:"gold"`  // of those, about the right option
	Called   int            `json:"called_true"`
	Balanced stats.Number   `json:"balanced_accuracy,omitzero"`
	CI       stats.Interval `json:"balanced_accuracy_ci,omitzero"`
	TPR      stats.Number   `json:"tpr,omitzero"` // share of the right options called true
	TPRCI    stats.Interval `json:"tpr_ci,omitzero"`
	TNR      stats.Number   `json:"tnr,omitzero"` // share of the wrong options called false
	TNRCI    stats.Interval `json:"tnr_ci,omitzero"`
}

// Tables are the figures by each of an option's qualities.
type Tables struct {
	Letters []Figures `json:"letters,omitempty"`
	Kinds   []Figures `json:"kinds,omitempty"`   // number, formula, phrase, sentence, none_of_the_above, all_of_the_above
	Unknown int       `json:"unknown,omitempty"` // scored items whose prompt does not tell the option, of no kind
}

// Letter is the letter of the option that an item asks about; empty where it asks about none.
func Letter(it *results.Item) string {
	if it.OptionsOriginal == 0 {
		return ""
	}
	return it.Variant
}

// Kind is what kind of text that option is; empty where that is not known.
func Kind(it *results.Item) string { return string(it.Asked) }

// Kinds are all that there are.
func Kinds() []string {
	var all []string
	for _, kind := range option.Kinds {
		all = append(all, string(kind))
	}
	return all
}

// Settings say how the figures are made.
type Settings struct {
	Confidence float64
	Repeated   bool // items were asked several times
}

// Of makes the tables of a run of true-or-false items; nil where no item asks about an option.
func Of(v results.View, s Settings) *Tables {
	t := &Tables{}
	for a := range v.Scored() {
		if Letter(a.Item) != "" && Kind(a.Item) == "" {
			t.Unknown++
		}
	}
	t.Letters = s.by(v, Letter, letters(v))
	t.Kinds = s.by(v, Kind, Kinds())
	if len(t.Letters) == 0 {
		return nil
	}
	return t
}

// letters are those of all options asked about, in order.
func letters(v results.View) []string {
	all := map[string]bool{}
	for _, it := range v.Items {
		all[Letter(it)] = true
	}
	delete(all, "")
	return slices.Sorted(maps.Keys(all))
}

// by has the figures of each value that some scored item has.
func (s Settings) by(v results.View, quality func(*results.Item) string, values []string) []Figures {
	var all []Figures
	for _, value := range values {
		part := v.Where(func(it *results.Item) bool { return quality(it) == value })
		if f := s.figures(value, part); f.Items > 0 {
			all = append(all, f)
		}
	}
	return all
}

func (s Settings) figures(of string, v results.View) Figures {
	questions := Confusions(v)
	sum := stats.Sum(questions)
	f := Figures{Of: of, Items: sum.Total(), Gold: sum.Positives(), TPR: sum.TPR(), TNR: sum.TNR()}
	for a := range v.Scored() {
		if a.Letter == Yes {
			f.Called++
		}
	}
	f.TPRCI, f.TNRCI = s.Rates(questions)
	e := stats.BalancedAccuracy(stats.Alike(stats.Confusions(questions)), stats.LikeThese, s.Confidence)
	f.Balanced, f.CI = e.Value, e.Interval
	return f
}

// Rates are the intervals of TPR and TNR. A question has one right option, so its items are independent there, unless it is asked again;
// its wrong options depend on each other.
func (s Settings) Rates(questions []stats.Confusion) (tpr, tnr stats.Interval) {
	right, all := 0, 0
	positives, negatives := make([]stats.Cluster, len(questions)), make([]stats.Cluster, len(questions))
	for i, q := range questions {
		right, all = right+q.TruePositive, all+q.Positives()
		positives[i] = stats.Cluster{Successes: q.TruePositive, Items: q.Positives()}
		negatives[i] = stats.Cluster{Successes: q.TrueNegative, Items: q.Negatives()}
	}
	tpr = stats.Proportion(right, all, s.Confidence).Interval
	if s.Repeated {
		tpr = stats.ClusteredProportion(positives, s.Confidence).Interval
	}
	return tpr, stats.ClusteredProportion(negatives, s.Confidence).Interval
}
