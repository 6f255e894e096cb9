package metrics

import (
	"cmp"
	"maps"
	"slices"

	"proctor/runner/results"
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

// A Rule is what one rule set makes of the run.
type Rule struct{ Figures }

// parts sets the figures of each subject, of each number of options and of each rule set.
func (r *Summary) parts(run *results.Run, figures func(results.View) Figures) {
	v := run.View(0)
	var ps []stats.Number
	for part := range v.Subjects() {
		subject := Subject{Subject: part.Items[0].Subject, Figures: figures(part)}
		r.Subjects = append(r.Subjects, subject)
		ps = append(ps, subject.PValue)
	}
	for i, p := range stats.Holm(ps) {
		r.Subjects[i].PAdjusted = p
	}
	options := func(it *results.Item) int { return cmp.Or(it.OptionsOriginal, it.Options) }
	counts := map[int]bool{}
	for _, it := range v.Items {
		counts[options(it)] = true
	}
	for _, n := range slices.Sorted(maps.Keys(counts)) {
		part := v.Where(func(it *results.Item) bool { return options(it) == n })
		r.ByOptions = append(r.ByOptions, OptionCount{n, figures(part)})
	}
	r.Rules = map[string]Rule{}
	for i, set := range run.RuleSets {
		r.Rules[set.Name] = Rule{figures(run.View(i))}
		r.RuleOrder = append(r.RuleOrder, set.Name)
	}
}

// macro is the mean over subjects of a figure, as far as they have it.
func (r *Summary) macro(of func(Figures) stats.Number) stats.Number {
	var values []float64
	for _, subject := range r.Subjects {
		if x, defined := of(subject.Figures).Get(); defined {
			values = append(values, x)
		}
	}
	return average(values)
}

// macroAccuracy sets that of tasks whose items depend on each other; [Summary.strata] does for the others.
func (r *Summary) macroAccuracy() {
	r.MacroAccuracy = r.macro(func(f Figures) stats.Number { return f.Accuracy })
}

// Stratified is what a sample drawn by subject says of the whole set.
type Stratified struct {
	Accuracy stats.Number   `json:"accuracy,omitzero"` // each subject weighted by its share of the whole set
	SE       stats.Number   `json:"se,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`
}

// strata sets what subjects of independent questions tell together: the macro accuracy and, where the journal knows the
// subjects' sizes, the accuracy over the whole set.
func (r *Summary) strata(v results.View) {
	population := map[string]int{}
	maps.Copy(population, r.Run.Selection.Population)
	if only := r.Run.Selection.Subjects; len(only) > 0 {
		maps.DeleteFunc(population, func(subject string, _ int) bool { return !slices.Contains(only, subject) })
	}
	var asked, unasked []stats.Stratum
	for part := range v.Subjects() {
		subject := part.Items[0].Subject
		asked = append(asked, stats.Stratum{Population: population[subject], Scores: questionMeans(part)})
		delete(population, subject)
	}
	macro := stats.Macro(asked, r.Confidence)
	r.MacroAccuracy, r.MacroSE, r.MacroCI = macro.Value, macro.SE, macro.Interval
	r.warn(AboutSubjects, macro.Warnings...)
	if len(r.Run.Selection.Population) == 0 || r.Run.Selection.First { // the first questions are no sample
		return
	}
	for _, size := range population {
		unasked = append(unasked, stats.Stratum{Population: size})
	}
	whole := stats.Stratified(append(asked, unasked...), r.Confidence)
	r.Stratified = &Stratified{whole.Value, whole.SE, whole.Interval}
	if len(unasked) > 0 {
		r.warn(AboutAccuracy, words.Several(len(unasked), "subject")+" of the set not asked: "+
			"the accuracy over the whole set is without them")
	}
}
