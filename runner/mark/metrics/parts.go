package metrics

import (
	"cmp"

	"proctor/prompts/task"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// A Subject is one subject's figures.
type Subject struct {
	Subject string `json:"subject"`
	Figures
	PAdjusted stats.Number `json:"p_adjusted,omitzero"` // Holm, over the run's subjects
}

// An OptionCount is the figures of the questions with as many options as any has, or of those with fewer.
type OptionCount struct {
	Options int  `json:"options"`
	Fewer   bool `json:"fewer,omitempty"`
	Figures
}

// A Rule is the run's result under one rule set.
type Rule struct {
	Figures  `json:"-"`
	Answered int            `json:"answered"`
	Correct  int            `json:"correct"`
	Accuracy stats.Number   `json:"accuracy,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`       // of accuracy
	Score    stats.Number   `json:"score,omitzero"`    // of the headline's kind, where that is not accuracy
	ScoreCI  stats.Interval `json:"score_ci,omitzero"` // of score
	// LeaderboardEquivalent is the expected score under the rule set's harness, which picks an option at random where it finds no
	// answer: right answers, plus 1/options for each item without an answer, by the scored items. It is for comparing with figures that
	// were made so, never a headline. Undefined for harnesses that do not guess, and for tasks that do not ask questions as they are.
	LeaderboardEquivalent stats.Number `json:"leaderboard_equivalent,omitzero"`
	// AccuracyAnswered is correct / answered, which is the score of harnesses that leave out items without an answer.
	AccuracyAnswered stats.Number `json:"accuracy_answered,omitzero"`
}

// leaderboardEquivalent computes it for a task's items, see [Rule].
func leaderboardEquivalent(t task.Task, set grade.RuleSet, v results.View) stats.Number {
	if !set.Guesses() || t.Variants != task.Itself {
		return stats.Undefined
	}
	var all []float64
	for a := range v.Scored() {
		switch {
		case a.Correct:
			all = append(all, 1)
		case a.Answered():
			all = append(all, 0)
		default:
			all = append(all, guess.Item(a.Item))
		}
	}
	return average(all)
}

// parts sets the figures of each subject, of each number of options and of each rule set.
func (r *Summary) parts(run *results.Run, t task.Task, figures func(results.View) Figures) {
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
	most := 0
	for _, it := range v.Items {
		most = max(most, options(it))
	}
	fewer := v.Where(func(it *results.Item) bool { return options(it) < most })
	if len(fewer.Items) > 0 {
		whole := v.Where(func(it *results.Item) bool { return options(it) == most })
		r.ByOptions = []OptionCount{{most, false, figures(whole)}, {most, true, figures(fewer)}}
	}
	r.Rules = map[string]Rule{}
	for i, set := range run.RuleSets {
		view := run.View(i)
		f := figures(view)
		rule := Rule{Figures: f, Answered: f.Answered, Correct: f.Correct, Accuracy: f.Accuracy, CI: f.CI,
			AccuracyAnswered: f.AccuracyAnswered, LeaderboardEquivalent: leaderboardEquivalent(t, set, view)}
		switch t.Headline {
		case task.BalancedAccuracy:
			rule.Score, rule.ScoreCI = f.BalancedAccuracy, f.BalancedCI
		case task.Perf:
			rule.Score, rule.ScoreCI = f.Perf, f.PerfCI
		}
		r.Rules[set.Name] = rule
		r.RuleOrder = append(r.RuleOrder, set.Name)
	}
}

// setMacro sets the macro accuracy, and the score of guessing there.
func (r *Summary) setMacro(accuracy stats.Estimate) {
	r.MacroAccuracy, r.MacroSE, r.MacroCI = r.macro("accuracy", accuracy)
	var chances []float64
	for _, subject := range r.Subjects {
		if x, defined := subject.Baseline.Get(); defined {
			chances = append(chances, x)
		}
	}
	r.MacroBaseline = average(chances)
}

// macro takes a mean over subjects apart, and adds its warnings under its name.
func (r *Summary) macro(name string, e stats.Estimate) (value, se stats.Number, ci stats.Interval) {
	for _, text := range e.Warnings {
		r.warn(AboutSubjects, "macro "+name+": "+text)
	}
	return e.Value, e.SE, e.Interval
}
