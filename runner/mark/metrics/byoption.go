package metrics

import (
	"maps"
	"slices"

	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// yes is the letter of the answer "True" in a true-or-false item.
const yes = "A"

// confusions counts the scored items of each question.
func confusions(v results.View) []stats.Confusion {
	var all []stats.Confusion
	for question := range v.Questions() {
		var c stats.Confusion
		for a := range question.Scored() {
			switch {
			case a.Gold == yes && a.Correct:
				c.TruePositive++
			case a.Gold == yes:
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

// OptionFigures are those of the items about one kind of option. An item without an answer counts as wrong.
type OptionFigures struct {
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

// ByOption are the figures by each of an option's qualities.
type ByOption struct {
	Letters []OptionFigures `json:"letters,omitempty"`
	Kinds   []OptionFigures `json:"kinds,omitempty"`   // number, formula, phrase, sentence, none_of_the_above, all_of_the_above
	Unknown int             `json:"unknown,omitempty"` // scored items whose option is not known from the prompt
}

// byOption makes the figures by option; nil where no item asks about one.
func (b balanced) byOption(v results.View) *ByOption {
	t := &ByOption{}
	for a := range v.Scored() {
		if a.Option() != "" && a.OptionKind == results.UnknownKind {
			t.Unknown++
		}
	}
	letters := map[string]bool{}
	for _, it := range v.Items {
		letters[it.Option()] = true
	}
	delete(letters, "")
	for _, letter := range slices.Sorted(maps.Keys(letters)) {
		t.Letters = b.option(t.Letters, letter, v.Where(func(it *results.Item) bool { return it.Option() == letter }))
	}
	for _, kind := range results.Kinds {
		t.Kinds = b.option(t.Kinds, string(kind), v.Where(func(it *results.Item) bool { return it.OptionKind == kind }))
	}
	if len(t.Letters) == 0 {
		return nil
	}
	return t
}

// option adds the figures of the items about one sort of option, where any is scored.
func (b balanced) option(all []OptionFigures, of string, v results.View) []OptionFigures {
	questions := confusions(v)
	sum := stats.Sum(questions)
	if sum.Total() == 0 {
		return all
	}
	f := OptionFigures{Of: of, Items: sum.Total(), Gold: sum.Positives(), TPR: sum.TPR(), TNR: sum.TNR()}
	for a := range v.Scored() {
		if a.Letter == yes {
			f.Called++
		}
	}
	f.TPRCI, f.TNRCI = b.rateIntervals(questions)
	e := b.estimate(questions)
	f.Balanced, f.CI = e.Value, e.Interval
	return append(all, f)
}

// rateIntervals are the intervals of TPR and TNR. A question has one right option, so without repeats those items are independent; the
// items of its wrong options depend on each other.
func (b balanced) rateIntervals(questions []stats.Confusion) (tpr, tnr stats.Interval) {
	right, all := 0, 0
	positives, negatives := make([]stats.Cluster, len(questions)), make([]stats.Cluster, len(questions))
	for i, q := range questions {
		right, all = right+q.TruePositive, all+q.Positives()
		positives[i] = stats.Cluster{Successes: q.TruePositive, Items: q.Positives()}
		negatives[i] = stats.Cluster{Successes: q.TrueNegative, Items: q.Negatives()}
	}
	tpr = stats.Proportion(right, all, b.confidence).Interval
	if b.repeats > 1 {
		tpr = stats.ClusteredProportion(positives, b.confidence).Interval
	}
	return tpr, stats.ClusteredProportion(negatives, b.confidence).Interval
}
