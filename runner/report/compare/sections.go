package compare

import (
	"fmt"
	"strings"

	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// insignificant marks a change that is not significant.
const insignificant = "~"

// titleOf names the runs that are compared.
func titleOf(c *pairs.Comparison) string {
	own, _ := task.Lookup(c.Task)
	return fmt.Sprintf("Comparison of %s · %s", format.Several(len(c.Runs), "run"),
		own.Title(c.Runs[0].Marked.Header.Dataset.Title())+metrics.Part(c.Pairs[0].Covers))
}

// fullPage is the page with everything.
func fullPage(c *pairs.Comparison) page.Page {
	p := page.Page{Alert: c.Invalid(), Title: titleOf(c), Notices: c.Warnings}
	p.Add(verdictSection(c))
	p.Add(sections(c)...)
	p.Footnotes = footnotes(c)
	return p
}

// sections are all figures, in the page's order.
func sections(c *pairs.Comparison) []page.Section {
	all := []page.Section{changedSection(c), runSection(c), restSection(c)}
	if len(c.Pairs) > 1 {
		all = append(all, pairSection(c))
	}
	for i := range c.Pairs {
		pair := &c.Pairs[i]
		figures := pairFigures(pair, c)
		figures.ID, figures.Drawings = fmt.Sprintf("pair-%d", i+1), []page.Drawing{subjectDrawing(pair, c)}
		all = append(all, figures)
	}
	length := page.Section{Title: "Length of completions", Drawings: lengthDrawings(c)}
	return append(all, length, floorSection(c), rateSection(c))
}

func footnotes(c *pairs.Comparison) []string {
	if c.Pairs[0].Changed == nil {
		return nil
	}
	return []string{notByDivergence}
}

// verdictSection has the verdict, and for two runs what would decide an open one.
func verdictSection(c *pairs.Comparison) page.Section {
	s := page.Section{Title: "Verdict", Notes: []string{c.Verdict}}
	if len(c.Pairs) == 1 {
		s.Facts = halves(&c.Pairs[0], c)
		if advice := c.Pairs[0].Advice; advice != "" {
			s.Notes = append(s.Notes, advice)
		}
	}
	return s
}

// runSection has each run's own figures, its settings and its journal.
func runSection(c *pairs.Comparison) page.Section {
	s := page.Section{Title: "Runs", ID: "score-and-speed", Notes: append(frontNote(c), c.FellBack()...), Drawings: placeDrawing(c)}
	s.Table = &page.Grid{Head: []string{"run", "items", "failed", c.Runs[0].Headline.Name, intervalName(c), "guessing", "of", "size",
		"bits/weight", "journal"}}
	for i := range c.Runs {
		run := &c.Runs[i]
		s.Table.Add(run.Name, format.Count(run.Items), format.Count(run.Errors), format.Percent(run.Headline.Value),
			format.Bounds(run.Headline.CI), format.Percent(run.Headline.Baseline), run.Headline.Covers,
			format.Size(run.Model.SizeBytes, format.Undefined), bits(run.Model.BitsPerWeight), run.Path)
	}
	return s
}

// restSection has each run's score and change of all questions, and without those that were left out.
func restSection(c *pairs.Comparison) page.Section {
	left := c.Runs[0].Without
	if left == nil {
		return page.Section{}
	}
	s := page.Section{Title: strings.ToUpper(left.Name()[:1]) + left.Name()[1:], Table: &page.Grid{Head: []string{"run",
		"questions", c.Pairs[0].MeasureName(), "guessing", "change", pairInterval(c)}}}
	add := func(name string, questions int, f *metrics.Headline, o *pairs.Outcome) {
		s.Table.Add(name, format.Count(questions), withHalfWidth(f), format.Percent(f.Baseline), "", "")
		if o != nil {
			cells := s.Table.Rows[len(s.Table.Rows)-1]
			cells[4], cells[5] = change(o.Difference), interval(o.CI)
		}
	}
	for i := range c.Runs {
		run := &c.Runs[i]
		var all, rest *pairs.Outcome
		if i > 0 {
			all, rest = &c.Pairs[i-1].Outcome, &c.Pairs[i-1].Without.Outcome
		}
		add(run.Name, run.Marked.View(0).Tally().Questions, &run.Headline, all)
		add("", run.Without.Questions, &run.Without.Headline, rest)
	}
	s.Notes = []string{"left out: " + format.Few(left.LeftOut) + "; the verdict is of all; ± is half the " +
		intervalName(c)}
	return s
}

func intervalName(c *pairs.Comparison) string { return format.Confidence(c.Confidence) }

// pairSection is the overview of several runs.
func pairSection(c *pairs.Comparison) page.Section {
	head := []string{"run", "change", pairInterval(c), "p", "p (Bonferroni)", ""}
	s := page.Section{Title: "Against " + c.Runs[0].Name, Table: &page.Grid{Head: head}}
	for _, p := range c.Pairs {
		s.Table.Add(p.B, change(p.Difference), interval(p.CI), format.BareProbability(p.PValue), format.BareProbability(p.PAdjusted),
			mark(p.PAdjusted, c.Confidence))
	}
	s.Notes = []string{fmt.Sprintf("intervals and p (Bonferroni) are adjusted for the %d comparisons with %s: %g %% for all "+
		"together; "+insignificant+" not significant", len(c.Pairs), c.Runs[0].Name, 100*c.Confidence)}
	if text, shared := c.Together(); text != "" && shared {
		s.Notes = append(s.Notes, text)
	}
	return s
}

// pairFigures has the figures of one pair.
func pairFigures(p *pairs.Pair, c *pairs.Comparison) page.Section {
	s := page.Section{Title: p.A + " → " + p.B, Warnings: p.Warnings}
	if len(c.Pairs) > 1 {
		s.Facts.Add("verdict", "", p.Verdict)
		if p.Advice != "" {
			s.Notes = []string{p.Advice}
		}
	}
	s.Facts.Add("compared", format.Several(p.Questions, "question"), format.Several(p.Items, "item")+" scored in both runs")
	s.Facts.Add(p.Measure, format.Percent(p.ValueA)+" → "+format.Percent(p.ValueB), "of the compared questions"+metrics.Part(p.Covers))
	s.Facts.Add("difference", change(p.Difference), pairBounds(p, c))
	test := ""
	if p.Test != "" {
		test = "two-sided score test of the same difference as the interval"
	}
	s.Facts.Add("p", format.BareProbability(p.PValue), test)
	s.Facts.Add("flips", format.Percent(p.Flips), fmt.Sprintf("of items: right → wrong %s, wrong → right %s",
		format.Count(p.RightToWrong), format.Count(p.WrongToRight)))
	s.Facts.Add("answers changed", format.Percent(p.AnswerChanged), "of items")
	s.Facts.Add("questions right", format.Count(p.Table.Both)+" in both", fmt.Sprintf("only %s %s, only %s %s, neither %s",
		p.A, format.Count(p.Table.OnlyA), p.B, format.Count(p.Table.OnlyB), format.Count(p.Table.Neither)))
	s.Facts.Add("at most "+format.Points(stats.Of(c.Margin), 1)+" worse", p.AtMost(), "")
	s.Facts.Add("detectable", format.Points(p.SmallestDetectable, 1), "the smallest difference found with 80 % power")
	return s
}

// pairBounds is the interval of the difference, with its name and method.
func pairBounds(p *pairs.Pair, c *pairs.Comparison) string {
	if p.CI.IsZero() {
		return pairInterval(c) + " " + format.TooFew
	}
	return fmt.Sprintf("%s %s (%s)", pairInterval(c), interval(p.CI), format.Method(p.CI))
}

// change formats a difference of shares in percentage points, with its sign.
func change(n stats.Number) string { return format.Change(n, 2) }

func interval(i stats.Interval) string { return format.ChangeSpan(i, 2) }

// mark is ~ if p is too large for a significant change.
func mark(p stats.Number, confidence float64) string {
	if p.Or(1) < 1-confidence {
		return ""
	}
	return insignificant
}

// frontNote names the runs on the front.
func frontNote(c *pairs.Comparison) []string {
	var names []string
	for i := range c.Runs {
		if c.Runs[i].Front {
			names = append(names, c.Runs[i].Name)
		}
	}
	if c.OtherWork != "" {
		return nil
	}
	if apart := c.SpeedsApart(); apart != "" {
		return []string{"no front of score and speed, as the speeds are not comparable: " + apart}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"no other run is better both in score and in questions/min than " + strings.Join(names, ", ") + " (Pareto's front)"}
}

// pairInterval names the pairs' intervals by their confidence.
func pairInterval(c *pairs.Comparison) string { return format.Confidence(c.PairConfidence()) }

// whyTwoModels explains why a recommendation and a verdict may name different runs.
const whyTwoModels = "the recommendation is the smallest model not worse by the margin, at equal size the fastest; " +
	"the verdict says which scores higher"
