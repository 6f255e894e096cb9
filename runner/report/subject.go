package report

import (
	"maps"
	"slices"

	"proctor/runner/stats"
	"proctor/runner/words"
)

// A Subject is one subject's figures.
type Subject struct {
	Subject string `json:"subject"`
	Figures
	PAdjusted stats.Number `json:"p_adjusted,omitzero"` // Holm over the subjects asked
}

// An OptionCount is the figures of the questions with one number of options.
type OptionCount struct {
	Options int `json:"options"`
	Figures
}

func (r *Report) subjects(v view, task exam) {
	var ps []stats.Number
	for part := range v.subjects() {
		subject := Subject{Subject: part.items[0].subject, Figures: task.figures(part)}
		r.Subjects = append(r.Subjects, subject)
		ps = append(ps, subject.PValue)
	}
	for i, p := range stats.Holm(ps) {
		r.Subjects[i].PAdjusted = p
	}
}

// Stratified is what a sample drawn by subject says of the whole set.
type Stratified struct {
	Accuracy stats.Number   `json:"accuracy,omitzero"` // each subject weighted by its share of the whole set
	SE       stats.Number   `json:"se,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`
}

// strata sets what subjects of independent questions tell together: the macro accuracy and, where the journal knows the
// subjects' sizes, the accuracy over the whole set.
func (r *Report) strata(v view) {
	population := map[string]int{}
	maps.Copy(population, r.Run.Selection.Population)
	if only := r.Run.Selection.Subjects; len(only) > 0 {
		maps.DeleteFunc(population, func(subject string, _ int) bool { return !slices.Contains(only, subject) })
	}
	var asked, unasked []stats.Stratum
	for part := range v.subjects() {
		subject := part.items[0].subject
		asked = append(asked, stats.Stratum{Population: population[subject], Scores: questionMeans(part)})
		delete(population, subject)
	}
	macro := stats.Macro(asked, v.confidence)
	r.MacroAccuracy, r.MacroSE, r.MacroCI = macro.Value, macro.SE, macro.Interval
	r.warn(aboutSubjects, macro.Warnings...)
	if len(r.Run.Selection.Population) == 0 || r.Run.Selection.First { // the first questions are no sample
		return
	}
	for _, size := range population {
		unasked = append(unasked, stats.Stratum{Population: size})
	}
	whole := stats.Stratified(append(asked, unasked...), v.confidence)
	r.Stratified = &Stratified{whole.Value, whole.SE, whole.Interval}
	if len(unasked) > 0 {
		r.warn(aboutAccuracy, words.Several(len(unasked), "subject")+" of the set not asked: the accuracy over the whole set is without them")
	}
}

// macro sets the mean of the subjects' accuracies.
func (r *Report) macro(v view) {
	sum, subjects := 0.0, 0
	for part := range v.subjects() {
		t := part.tally()
		if accuracy, defined := stats.Ratio(t.correct, t.scored()).Get(); defined {
			sum, subjects = sum+accuracy, subjects+1
		}
	}
	r.MacroAccuracy = quotient(sum, subjects)
}

func (r *Report) byOptions(v view, task exam) {
	parts := map[int][]item{}
	for _, it := range v.items {
		n := it.options
		if it.original > 0 {
			n = it.original
		}
		parts[n] = append(parts[n], it)
	}
	for _, n := range slices.Sorted(maps.Keys(parts)) {
		r.ByOptions = append(r.ByOptions, OptionCount{n, task.figures(view{parts[n], v.rule, v.setting})})
	}
}

// A Rule is what one rule set makes of the run.
type Rule struct{ Figures }

func (r *Report) rules(v view, task exam) {
	r.Rules = map[string]Rule{}
	for i, set := range v.rules {
		r.Rules[set.Name] = Rule{task.figures(v.under(i))}
		r.ruleOrder = append(r.ruleOrder, set.Name)
	}
}
