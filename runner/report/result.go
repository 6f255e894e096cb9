package report

import (
	"fmt"
	"slices"

	"proctor/prompts/task"
	"proctor/runner/metrics"
	"proctor/runner/page"
	"proctor/runner/stats"
	"proctor/runner/words"
)

func (r document) resultSection() page.Section {
	s := page.Section{Title: "Result"}
	switch {
	case r.Binary != nil:
		s.Facts = r.binaryFacts()
	case r.Circular != nil:
		s.Facts = r.circularFacts()
	default:
		s.Facts = r.accuracyFacts()
	}
	s.Warnings = slices.Concat(r.About(metrics.AboutAccuracy), r.About(metrics.AboutBinary), r.About(metrics.AboutCircular))
	return s
}

// ofItems is what an accuracy is a share of.
func (r document) ofItems(whole int) string {
	return fmt.Sprintf("%s of %s", words.Count(r.Correct), words.Count(whole))
}

func (r document) accuracyFacts() page.Facts {
	var facts page.Facts
	facts.Add("accuracy", words.Percent(r.Accuracy), r.ofItems(r.Items-r.Errors)+", "+r.interval(r.CI))
	facts.Add("accuracy_answered", words.Percent(r.AccuracyAnswered), r.ofItems(r.Answered)+" that gave an answer")
	r.addGuessing(&facts)
	if c := r.Baseline.Constant; c != nil {
		facts.Add("always "+c.Letter, words.Percent(c.Accuracy), "the best that one letter for every question does")
	}
	if w := r.Stratified; w != nil {
		facts.Add("whole set", words.Percent(w.Accuracy), "the subjects weighted by their size, "+r.interval(w.CI))
	}
	facts.Add("chance-corrected", words.Plain(r.ChanceCorrected), "0 is guessing, 1 all right")
	facts.Add("macro accuracy", words.Percent(r.MacroAccuracy), "every subject counts the same, "+r.interval(r.MacroCI))
	return facts
}

// addGuessing says what guessing would score, and whether the run beats it.
func (r document) addGuessing(facts *page.Facts) {
	facts.Add("guessing", words.Percent(r.Baseline.Expected),
		"expected for exactly these questions; nominal "+words.Percent(stats.Of(r.Baseline.Nominal)))
	facts.Add("", "", r.verdict())
}

// verdict says whether the run beats guessing.
func (r document) verdict() string {
	switch {
	case r.Baseline.Better == nil:
		return "whether it beats guessing can't be told"
	case *r.Baseline.Better:
		return fmt.Sprintf("better than guessing (%s)", words.Probability(r.Baseline.PValue))
	}
	return fmt.Sprintf("not shown to be better than guessing (%s)", words.Probability(r.Baseline.PValue))
}

func (r document) binaryFacts() page.Facts {
	b := r.Binary
	of := "of " + r.OfQuestions(b.QuestionsComplete)
	var facts page.Facts
	facts.Add("balanced accuracy", words.Percent(b.BalancedAccuracy), r.interval(b.CI))
	facts.Add("guessing", words.Percent(stats.Of(r.Baseline.Nominal)), r.verdict())
	facts.Add("macro balanced", words.Percent(b.Macro), "every subject counts the same")
	facts.Add("chance-corrected", words.Plain(r.ChanceCorrected), "0 is guessing, 1 all right")
	facts.Add("TPR", words.Percent(b.TPR), "right options called true, "+r.interval(b.TPRCI))
	facts.Add("TNR", words.Percent(b.TNR), "wrong options called false, "+r.interval(b.TNRCI))
	facts.Add("MCC", words.Plain(b.MCC), "")
	facts.Add("F1 of true", words.Plain(b.F1), "")
	facts.Add("called true", words.Percent(b.PredictedTrue), "of the items")
	facts.Add("accuracy, raw", words.Percent(r.Accuracy), r.ofItems(r.Items-r.Errors)+", "+r.interval(r.CI))
	facts.Add("  baselines", words.Percent(b.Majority), "always the commoner answer; a coin "+words.Percent(stats.Of(b.Coin)))
	facts.Add("accuracy_answered", words.Percent(r.AccuracyAnswered), r.ofItems(r.Answered)+" that gave an answer")
	facts.Add("whole question right", words.Percent(b.Exact), of+", "+r.interval(b.ExactCI)+"; guessing "+words.Percent(b.ExactChance))
	facts.Add("only gold called true", words.Percent(b.GoldOnly), of)
	facts.Add("none called true", words.Percent(b.NoTrue), of)
	facts.Add("several called true", words.Percent(b.SeveralTrue), of)
	return facts
}

func (r document) circularFacts() page.Facts {
	c := r.Circular
	var facts page.Facts
	facts.Add(r.Headline.Name, words.Percent(r.Headline.Value), fmt.Sprintf("every variant right, of %s, %s",
		r.OfQuestions(c.Metric(r.Headline.Name).Over), r.interval(r.Headline.CI)))
	facts.Add("question mean", words.Percent(c.QuestionMean),
		"share of a question's variants that are right, "+r.interval(c.QuestionMeanCI))
	r.addGuessing(&facts)
	facts.Add("chance-corrected", words.Plain(r.ChanceCorrected), "0 is guessing, 1 all right")
	facts.Add("accuracy", words.Percent(r.Accuracy), r.ofItems(r.Items-r.Errors)+" items, "+r.interval(r.CI))
	facts.Add("accuracy_answered", words.Percent(r.AccuracyAnswered), r.ofItems(r.Answered)+" that gave an answer")
	facts.Add("acc_origin − perf", words.Percent(c.OriginMinusPerf), "what the original order flatters")
	facts.Add("consistency", words.Percent(c.Consistency), "of questions, the same content chosen every time")
	facts.Add("majority vote", words.Percent(c.MajorityVote), "of questions, the gold content chosen most")
	return facts
}

// circularSection is the table of OpenCompass's metrics.
func (r document) circularSection() page.Section {
	s := page.Section{Title: "CircularEval"}
	if r.Circular == nil {
		return s
	}
	s.Table = &page.Grid{Head: []string{"metric", "value", "over"}}
	for _, m := range r.Circular.Metrics {
		s.Table.Add(m.Name, words.Percent(m.Value), words.Count(m.Over))
	}
	s.Notes = []string{"over: items for acc_…, questions for the others; more_k counts the questions with at least k variants"}
	return s
}

// figureTable is a table of the figures of parts, a line each; last is what the lines end in.
func (r document) figureTable(first string, parts []part, last ...string) *page.Grid {
	own, _ := task.Lookup(r.Task)
	g := &page.Grid{Head: []string{first, "items", "answered", "correct", "accuracy", r.confidence(), "answered right"}}
	switch own.Headline {
	case task.BalancedAccuracy:
		g.Head = append(g.Head, "balanced")
	case task.Perf:
		g.Head = append(g.Head, "perf_circular")
	}
	g.Head = append(append(g.Head, "guessing"), last...)
	for _, p := range parts {
		f := p.figures
		cells := []string{
			p.name, words.Count(f.Scored()), words.Count(f.Answered), words.Count(f.Correct), words.Percent(f.Accuracy), words.Bounds(f.CI),
			words.Percent(f.AccuracyAnswered),
		}
		switch own.Headline {
		case task.BalancedAccuracy:
			cells = append(cells, words.Percent(f.BalancedAccuracy))
		case task.Perf:
			cells = append(cells, words.Percent(f.PerfCircular))
		}
		g.Add(append(append(cells, words.Percent(f.Baseline)), p.last...)...)
	}
	return g
}

// A part is a line of such a table.
type part struct {
	name    string
	figures metrics.Figures
	last    []string
}

func (r document) subjectSection() page.Section {
	s := page.Section{Title: "Subjects", Warnings: r.About(metrics.AboutSubjects)}
	if len(r.Subjects) == 0 {
		return s
	}
	var parts []part
	for _, subject := range r.Subjects {
		parts = append(parts, part{subject.Subject, subject.Figures, []string{words.BareProbability(subject.PAdjusted)}})
	}
	s.Table = r.figureTable("subject", parts, "p (Holm)")
	s.Notes = []string{"p: of no better than guessing, adjusted for the number of subjects"}
	return s
}

func (r document) ruleSection() page.Section {
	var parts []part
	for _, name := range r.RuleOrder {
		parts = append(parts, part{name: name, figures: r.Rules[name].Figures})
	}
	return page.Section{Title: "Rule sets", Warnings: r.About(metrics.AboutRules), Table: r.figureTable("rule set", parts)}
}

func (r document) optionSection() page.Section {
	s := page.Section{Title: "By number of options"}
	if len(r.ByOptions) == 0 {
		return s
	}
	var parts []part
	for _, o := range r.ByOptions {
		parts = append(parts, part{name: fmt.Sprint(o.Options), figures: o.Figures})
	}
	s.Table = r.figureTable("options", parts)
	return s
}
