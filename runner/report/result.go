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
	facts.Add("guessing", words.Percent(r.Baseline.Expected), "expected for exactly these questions; nominal "+words.Percent(stats.Of(r.Baseline.Nominal)))
	facts.Add("", "", r.verdict())
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
	of := "of " + r.Sittings(b.QuestionsComplete)
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
		r.Sittings(c.Metric(r.Headline.Name).Over), r.interval(r.Headline.CI)))
	facts.Add("question mean", words.Percent(c.QuestionMean.Value), "share of a question's variants that are right, "+r.interval(c.QuestionMean.Interval))
	facts.Add("guessing", words.Percent(r.Baseline.Expected), "expected for exactly these questions; nominal "+words.Percent(stats.Of(r.Baseline.Nominal)))
	facts.Add("", "", r.verdict())
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

// A figureColumn is a column of subjects, rule sets and option counts, some of them for one task only.
type figureColumn struct {
	head string
	cell func(f metrics.Figures) string
	of   task.Metric // the tasks of that headline have it; empty for all
}

// intervalHead stands for the report's own "95 % interval".
const intervalHead = "interval"

var figureColumns = []figureColumn{
	{"items", func(f metrics.Figures) string { return words.Count(f.Items - f.Errors) }, ""},
	{"answered", func(f metrics.Figures) string { return words.Count(f.Answered) }, ""},
	{"correct", func(f metrics.Figures) string { return words.Count(f.Correct) }, ""},
	{"accuracy", func(f metrics.Figures) string { return words.Percent(f.Accuracy) }, ""},
	{intervalHead, func(f metrics.Figures) string { return words.Bounds(f.CI) }, ""},
	{"answered right", func(f metrics.Figures) string { return words.Percent(f.AccuracyAnswered) }, ""},
	{"balanced", func(f metrics.Figures) string { return words.Percent(f.BalancedAccuracy) }, task.BalancedAccuracy},
	{"perf_circular", func(f metrics.Figures) string { return words.Percent(f.PerfCircular) }, task.Perf},
	{"guessing", func(f metrics.Figures) string { return words.Percent(f.Baseline) }, ""},
}

// figureGrid starts a table of figures and returns what fills in a line of it.
func (r document) figureGrid(first string, last ...string) (*page.Grid, func(name string, f metrics.Figures, last ...string)) {
	asked, _ := task.Lookup(r.Task)
	g := &page.Grid{Head: []string{first}}
	var columns []figureColumn
	for _, c := range figureColumns {
		if c.of != "" && c.of != asked.Headline {
			continue
		}
		if c.head == intervalHead {
			c.head = r.confidence()
		}
		columns = append(columns, c)
		g.Head = append(g.Head, c.head)
	}
	g.Head = append(g.Head, last...)
	return g, func(name string, f metrics.Figures, last ...string) {
		cells := []string{name}
		for _, c := range columns {
			cells = append(cells, c.cell(f))
		}
		g.Add(append(cells, last...)...)
	}
}

func (r document) subjectSection() page.Section {
	s := page.Section{Title: "Subjects", Warnings: r.About(metrics.AboutSubjects)}
	if len(r.Subjects) == 0 {
		return s
	}
	g, add := r.figureGrid("subject", "p (Holm)")
	for _, subject := range r.Subjects {
		add(subject.Subject, subject.Figures, words.BareProbability(subject.PAdjusted))
	}
	s.Table = g
	s.Notes = []string{"p: of no better than guessing, adjusted for the number of subjects"}
	return s
}

func (r document) ruleSection() page.Section {
	s := page.Section{Title: "Rule sets", Warnings: r.About(metrics.AboutRules)}
	g, add := r.figureGrid("rule set")
	for _, name := range r.RuleOrder {
		add(name, r.Rules[name].Figures)
	}
	s.Table = g
	return s
}

func (r document) optionSection() page.Section {
	s := page.Section{Title: "By number of options"}
	if len(r.ByOptions) == 0 {
		return s
	}
	g, add := r.figureGrid("options")
	for _, o := range r.ByOptions {
		add(fmt.Sprint(o.Options), o.Figures)
	}
	s.Table = g
	return s
}
