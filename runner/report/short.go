package report

import (
	"fmt"

	"al.essio.dev/pkg/shellescape"

	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// shortPage has what one wants to know first, and says where the rest is.
func shortPage(s *metrics.Summary) page.Page {
	r := documentOf(s)
	p := page.Page{Title: r.title(), Notices: r.About(metrics.AboutRun)}
	p.Add(r.shortResult(), r.directSection(false), r.shortStopping())
	if repeats := r.repeatSections(); len(repeats) > 0 {
		p.Add(repeats[0])
	}
	p.Add(r.shortSubjects(), r.failureSection(false), r.shortSpeed())
	p.Footnotes = append(r.methodNotes(), r.rest())
	return p
}

// shortResult is the score that stands for the run, and the verdict against guessing.
func (r document) shortResult() page.Section {
	s := page.Section{Title: "Result", Warnings: append(r.resultWarnings(), r.About(metrics.AboutRules)...)}
	switch {
	case r.Binary != nil:
		r.addBalanced(&s.Facts)
		s.Facts.Add("", "", r.verdict())
	case r.Circular != nil:
		r.addPerf(&s.Facts)
		r.addQuestionMean(&s.Facts)
	default:
		r.addAccuracy(&s.Facts)
		s.Facts.Add("", "", r.verdict())
	}
	if r.Answered < r.Scored() {
		r.addAnswered(&s.Facts)
	}
	s.Notes = []string{r.toQuote(), "asked with " + joined(append(r.prompt(), r.sampling())) + "; marked by " + r.markedBy()}
	return s
}

// shortStopping is without the looks that were taken on the way.
func (r document) shortStopping() page.Section {
	s := r.sequentialSection()
	s.Table = nil
	return s
}

// shortSubjects are the scores alone.
func (r document) shortSubjects() page.Section {
	s := page.Section{Title: "Subjects"}
	if len(r.Subjects) < 2 {
		return s
	}
	own, _ := task.Lookup(r.Task)
	s.Table = &page.Grid{Head: []string{"subject", "items", spelled(r.Headline.Name), r.confidence()}}
	for _, subject := range r.Subjects {
		value, interval, _ := headlineOf(own, subject.Figures)
		s.Table.Add(subject.Subject, format.Count(subject.Figures.Scored()), format.Percent(value), format.Bounds(interval))
	}
	return s
}

// headlineOf is the figure among a part's that stands for the run, and what guessing scores of it.
func headlineOf(t task.Task, f metrics.Figures) (value stats.Number, interval stats.Interval, chance stats.Number) {
	switch t.Headline {
	case task.BalancedAccuracy:
		return f.BalancedAccuracy, f.BalancedCI, stats.Of(0.5)
	case task.Perf:
		return f.Perf, f.PerfCI, f.PerfGuess.Anew
	}
	return f.Accuracy, f.CI, f.Baseline
}

// shortSpeed is what a user waits for: questions, output and the prompts that need no reading again.
func (r document) shortSpeed() page.Section {
	s := page.Section{Title: "Speed", Warnings: r.About(metrics.AboutSpeed)}
	v := &r.Speed
	r.addPace(&s.Facts)
	if v.OutputRate.Defined() {
		s.Facts.Add("output", format.PerSecond(v.OutputRate), fmt.Sprintf("%s tokens in %s", format.Count(v.OutputTokens),
			format.Decimal(v.WallSeconds, 1, 1, " s")))
	}
	if v.PromptTokens > 0 {
		s.Facts.Add("prompts", format.Count(v.PromptTokens), "tokens, "+format.Percent(v.ReuseShare)+" of them reused")
	}
	return s
}

// rest says where the run is, and how everything else is had.
func (r document) rest() string {
	run, saved := "RUN", ""
	if r.Path != "" {
		run, saved = shellescape.Quote(r.Path), "saved in "+r.Path+"; "
	}
	return saved + "the rest (settings, every figure, rule sets, letters, speed): proctor report " + run + " --full"
}
