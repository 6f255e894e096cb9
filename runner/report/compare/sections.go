package compare

import (
	"fmt"

	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// insignificant stands where a change is not told from none.
const insignificant = "~"

func (c *Comparison) page() page.Page {
	asked, _ := task.Lookup(c.Task)
	title := asked.Title(c.Runs[0].results.Header.Dataset.Title()) + metrics.Part(c.Pairs[0].Covers)
	p := page.Page{Title: fmt.Sprintf("Comparison of %s · %s", format.Several(len(c.Runs), "run"), title), Notices: c.Warnings}
	p.Add(c.Recommendation.section(c.Pairs[0].named()), c.verdictSection(), c.changedSection(), c.runSection())
	for i := range c.Metrics {
		p.Add(c.Metrics[i].section(c))
	}
	if len(c.Pairs) > 1 {
		p.Add(c.pairSection())
	}
	for i := range c.Pairs {
		pair := &c.Pairs[i]
		p.Add(pair.section(c), pair.probabilitySection(c), pair.subjectSection(c), pair.ruleSection(c))
	}
	p.Add(c.lengthSection(), c.floorSection(), c.rateSection())
	if c.Pairs[0].Changed != nil {
		p.Footnotes = append(p.Footnotes, notByDivergence)
	}
	return p
}

// verdictSection says what follows, and of two runs what decides it where it is open.
func (c *Comparison) verdictSection() page.Section {
	s := page.Section{Title: "Verdict", Notes: []string{c.Verdict}}
	if len(c.Pairs) == 1 {
		s.Facts = c.Pairs[0].halves(c)
		s.Notes = append(s.Notes, c.Pairs[0].Advice.lines(&c.Pairs[0])...)
	}
	return s
}

func (c *Comparison) runSection() page.Section {
	head := []string{"run", "items", "failed", c.Runs[0].Headline.Name, c.interval(), "guessing", "of", "size", "journal"}
	s := page.Section{Title: "Runs", Table: &page.Grid{Head: head}}
	for _, run := range c.Runs {
		s.Table.Add(run.Name, format.Count(run.Items), format.Count(run.Errors), format.Percent(run.Headline.Value),
			format.Bounds(run.Headline.CI), format.Percent(run.Headline.Baseline), run.Headline.Covers,
			format.Size(run.Model.SizeBytes, format.Undefined), run.Path)
	}
	s.Notes = c.frontNote()
	return s
}

func (c *Comparison) interval() string { return format.Confidence(c.Confidence) }

// pairInterval is the name of the pairs' intervals, which hold for all pairs together.
func (c *Comparison) pairInterval() string {
	return format.Confidence(roundConfidence(Options{Confidence: c.Confidence}.together(len(c.Pairs)).Confidence))
}

// pairSection is the overview of several runs.
func (c *Comparison) pairSection() page.Section {
	head := []string{"run", "change", c.pairInterval(), "p", "p (Bonferroni)", ""}
	s := page.Section{Title: "Against " + c.Runs[0].Name, Table: &page.Grid{Head: head}}
	for _, p := range c.Pairs {
		s.Table.Add(p.B, change(p.Difference), interval(p.CI), format.BareProbability(p.PValue), format.BareProbability(p.PAdjusted),
			mark(p.PAdjusted, c.Confidence))
	}
	s.Notes = []string{fmt.Sprintf("intervals and p (Bonferroni) are adjusted for the %d comparisons with %s: %g %% for all "+
		"together; "+insignificant+" not significant", len(c.Pairs), c.Runs[0].Name, 100*c.Confidence)}
	return s
}

// section is one pair's figures.
func (p *Pair) section(c *Comparison) page.Section {
	s := page.Section{Title: p.A + " → " + p.B, Warnings: p.Warnings}
	if len(c.Pairs) > 1 {
		s.Facts.Add("verdict", "", p.Verdict)
		s.Notes = p.Advice.lines(p)
	}
	s.Facts.Add("compared", format.Several(p.Questions, "question"), format.Several(p.Items, "item")+" that both runs have a score for")
	s.Facts.Add(p.Measure, format.Percent(p.ValueA)+" → "+format.Percent(p.ValueB), p.population())
	s.Facts.Add("difference", change(p.Difference), p.bounds(c))
	s.Facts.Add("p", p.probability(p.PValue), p.test())
	if c.full && p.Sample != nil {
		s.Facts.Add("of those asked", change(p.Sample.Difference), fmt.Sprintf("none weighted: %s %s, p = %s, which decides nothing",
			c.pairInterval(), interval(p.Sample.CI), format.BareProbability(p.Sample.PValue)))
	}
	s.Facts.Add("flips", format.Percent(p.Flips), fmt.Sprintf("of items: right → wrong %s, wrong → right %s",
		format.Count(p.RightToWrong), format.Count(p.WrongToRight)))
	s.Facts.Add("answers changed", format.Percent(p.AnswerChanged), "of items")
	s.Facts.Add("questions right", format.Count(p.Table.Both)+" in both", fmt.Sprintf("only %s %s, only %s %s, neither %s",
		p.A, format.Count(p.Table.OnlyA), p.B, format.Count(p.Table.OnlyB), format.Count(p.Table.Neither)))
	s.Facts.Add("at most "+points(stats.Of(c.Margin))+" worse", p.atMost(c.Margin), "")
	s.Facts.Add("detectable", points(p.SmallestDetectable), "the smallest difference found with 80 % power")
	p.addOutput(&s.Facts, c)
	return s
}

// addOutput tells how much more B writes for a question.
func (p *Pair) addOutput(facts *page.Facts, c *Comparison) {
	o := p.Output
	if o == nil {
		return
	}
	detail := "output tokens a question, not significant"
	if o.Changed {
		detail = fmt.Sprintf("output tokens a question, %s, %s %s … %s", more(o.Change), c.interval(),
			more(stats.Of(o.CI.Low)), more(stats.Of(o.CI.High)))
	}
	facts.Add("output", format.Short(o.ValueA)+" → "+format.Short(o.ValueB), detail)
}

// population is what the pair's figures are of.
func (p *Pair) population() string {
	if p.Sample != nil {
		return p.Covers + ", as in the runs' scores: each subject counts by its share of the set, not of the sample"
	}
	return "of the questions compared, none weighted" + metrics.Part(p.Covers)
}

func (p *Pair) test() string {
	if p.Test == "" {
		return ""
	}
	return "two-sided score test of the same difference as the interval"
}

// bounds is the interval of the difference with its name and its method.
func (p *Pair) bounds(c *Comparison) string {
	if p.CI.IsZero() {
		return c.pairInterval() + " " + p.without(format.NoInterval(p.CI))
	}
	return fmt.Sprintf("%s %s (%s)", c.pairInterval(), interval(p.CI), format.Method(p.CI))
}

// without is what stands where a difference has no interval or no p: why, if there is a difference.
func (o Outcome) without(why string) string {
	if o.Difference.Defined() {
		return why
	}
	return format.Undefined
}

// probability is a p of the outcome.
func (o Outcome) probability(p stats.Number) string {
	if !p.Defined() {
		return o.without(format.TooFew)
	}
	return format.BareProbability(p)
}

func (p *Pair) subjectSection(c *Comparison) page.Section {
	s := page.Section{Title: "Subjects"}
	if len(p.Subjects) == 0 {
		return s
	}
	s.Table = p.outcomes("subject", c.interval(), "questions", "p (Holm)", "")
	for _, subject := range p.Subjects {
		s.Table.Add(subject.cells(subject.Subject, format.Count(subject.Questions), subject.probability(subject.PAdjusted),
			mark(subject.PAdjusted, c.Confidence))...)
	}
	s.Notes = []string{"each interval is of one subject alone; p (Holm) is adjusted for the number of subjects; " +
		insignificant + " not significant"}
	return s
}

func (p *Pair) ruleSection(c *Comparison) page.Section {
	s := page.Section{Title: "Rule sets"}
	if len(p.ruleOrder) == 0 {
		return s
	}
	s.Table = p.outcomes("rule set", c.pairInterval(), "p", "")
	for _, name := range p.ruleOrder {
		outcome := p.Rules[name]
		s.Table.Add(outcome.cells(name, format.BareProbability(outcome.PValue), mark(outcome.PValue, outcome.CI.Confidence))...)
	}
	return s
}

// outcomes starts a table of outcomes with columns of its own at the end.
func (p *Pair) outcomes(first, interval string, last ...string) *page.Grid {
	return &page.Grid{Head: append([]string{first, p.A, p.B, "change", interval}, last...)}
}

// cells are a line of that table.
func (o Outcome) cells(first string, last ...string) []string {
	bounds := interval(o.CI)
	if o.CI.IsZero() {
		bounds = o.without(format.None(o.CI))
	}
	return append([]string{first, format.Percent(o.ValueA), format.Percent(o.ValueB), change(o.Difference), bounds}, last...)
}

// more is a share more, with its sign: +12.5 %.
func more(share stats.Number) string {
	text := format.Decimal(share, 100, 1, " %")
	if share.Or(0) > 0 {
		text = "+" + text
	}
	return text
}

// change is a difference of shares in percentage points, with its sign.
func change(n stats.Number) string { return format.Change(n, 2) }

func interval(i stats.Interval) string {
	if i.IsZero() {
		return format.Undefined
	}
	return change(stats.Of(i.Low)) + " … " + change(stats.Of(i.High))
}

// mark is ~ where p does not tell a change from none.
func mark(p stats.Number, confidence float64) string {
	if p.Or(1) < 1-confidence {
		return ""
	}
	return insignificant
}
