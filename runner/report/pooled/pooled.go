// Package pooled writes what several tasks say of two models together, one decision, with each task's share in it.
//
// Neighbours: runner/mark/pooled makes the decision, runner/report/compare lays out each task's own comparison.
package pooled

import (
	"fmt"
	"io"
	"strings"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pooled"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// Formats are the ways of writing a pooled decision. Short is text and markdown of it, a few lines to stand below the tasks' own
// comparisons.
var (
	Formats = append(page.FormatsOf(fullPage), page.Format[*pooled.Pooled]{Name: "html", Ext: ".html", Write: writeHTML})
	Short   = page.FormatsOf(shortPage)
)

func titleOf(p *pooled.Pooled) string {
	return "One decision · " + format.Several(len(p.Pairs[0].Tasks), "task")
}

func shortPage(p *pooled.Pooled) page.Page {
	s := page.Section{Title: titleOf(p)}
	for i := range p.Pairs {
		pair := &p.Pairs[i]
		s.Notes = append(s.Notes, pair.Verdict, told(pair))
	}
	s.Notes = append(s.Notes, basis(p)+"; tables: "+setting.Pooled.String())
	out := page.Page{}
	out.Add(s)
	return out
}

// told is what each task tells: its signal over its noise and its share of the information.
func told(p *pooled.Pair) string {
	var all []string
	for _, t := range p.Tasks {
		all = append(all, fmt.Sprintf("%s %s, %s", t.Name, ratio(t.Signal), format.Percent(t.Information)))
	}
	text := "signal over noise, share of the information: " + strings.Join(all, "; ")
	if p.PAdjusted.Defined() {
		return fmt.Sprintf("p (Bonferroni) = %s; %s", format.BareProbability(p.PAdjusted), text)
	}
	if p.PValue.Defined() {
		return fmt.Sprintf("p = %s; %s", format.BareProbability(p.PValue), text)
	}
	return text
}

// basis says what is averaged, and of what the error is.
func basis(p *pooled.Pooled) string {
	first := &p.Pairs[0]
	text := "each task counts the same; " + format.Several(first.Questions, "question")
	if first.Shared > 0 {
		text += fmt.Sprintf(", %s in several tasks and one unit there", format.Count(first.Shared))
	}
	if p.Sets > 1 {
		text += " of " + format.Several(p.Sets, "independent set")
	}
	if !p.Combined {
		text += "; each task by its own measure, so that there is no combined score"
	}
	return text
}

func fullPage(p *pooled.Pooled) page.Page {
	out := page.Page{Title: titleOf(p), Notices: p.Warnings}
	verdict := page.Section{Title: "Verdict"}
	for i := range p.Pairs {
		verdict.Notes = append(verdict.Notes, p.Pairs[i].Verdict)
	}
	verdict.Notes = append(verdict.Notes, basis(p))
	out.Add(verdict)
	for i := range p.Pairs {
		all, each := figures(&p.Pairs[i], p), tasks(&p.Pairs[i])
		all.ID, each.ID = fmt.Sprintf("pair-%d", i+1), fmt.Sprintf("tasks-%d", i+1)
		out.Add(all, each)
	}
	return out
}

// figures are the pair's, over all tasks.
func figures(p *pooled.Pair, of *pooled.Pooled) page.Section {
	s := page.Section{Title: p.A + " → " + p.B}
	if p.ValueA.Defined() {
		s.Facts.Add("mean of the tasks", format.Percent(p.ValueA)+" → "+format.Percent(p.ValueB), p.Tasks[0].Measure)
	}
	bounds := format.NoInterval(p.CI)
	if !p.CI.IsZero() {
		bounds = fmt.Sprintf("%s %s (%s)", format.Confidence(p.CI.Confidence), format.ChangeSpan(p.CI, 2), format.Method(p.CI))
	}
	s.Facts.Add("difference", format.Change(p.Difference, 2), bounds)
	adjusted := ""
	if p.PAdjusted.Defined() {
		adjusted = fmt.Sprintf("; %s for the %d comparisons (Bonferroni)", format.BareProbability(p.PAdjusted), len(of.Pairs))
	}
	s.Facts.Add("p", format.BareProbability(p.PValue), "two-sided score test of the same difference as the interval"+adjusted)
	if p.SE.Defined() {
		s.Facts.Add("standard error", format.Points(p.SE, 2), format.Points(p.Apart, 2)+" if no question were in several tasks")
	}
	notWorse := "undecided"
	switch {
	case p.NonInferior == nil:
		notWorse = format.Undefined
	case *p.NonInferior:
		notWorse = "yes"
	case p.CI.High < -of.Margin:
		notWorse = "no"
	}
	s.Facts.Add("at most "+format.Points(stats.Of(of.Margin), 1)+" worse", notWorse, "")
	return s
}

// tasks are each task's share in the pair.
func tasks(p *pooled.Pair) page.Section {
	s := page.Section{Title: "Tasks", Table: &page.Grid{Head: []string{
		"task", "measure", "questions", "weight", "change", "interval", "p", "signal/noise", "information",
	}}}
	for _, t := range p.Tasks {
		bounds := format.NoInterval(t.CI)
		if !t.CI.IsZero() {
			bounds = format.ChangeSpan(t.CI, 2)
		}
		s.Table.Add(t.Name, t.Measure, format.Count(t.Questions), format.Percent(stats.Of(t.Weight)), format.Change(t.Difference, 2), bounds,
			format.BareProbability(t.PValue), ratio(t.Signal), format.Percent(t.Information))
	}
	s.Notes = []string{"signal/noise: the difference without its sign by its standard error; information: the task's share of the sum of " +
		"1/standard error²"}
	if p.Clearest != "" {
		s.Notes = append(s.Notes, "the clearest signal: "+p.Clearest)
	}
	return s
}

func ratio(n stats.Number) string { return format.Decimal(n, 1, 2, "") }

func writeHTML(w io.Writer, p *pooled.Pooled) error {
	laid := fullPage(p)
	verdict := laid.Sections[0]
	head := html.Head{Kind: "comparison", Title: laid.Title, Verdict: verdict.Notes[0], Decides: verdict.Notes[1:],
		Notices: laid.Notices}
	var out html.Document
	out.Begin(head, laid.Sections[1:])
	return out.Write(w)
}
