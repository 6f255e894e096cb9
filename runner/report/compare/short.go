package compare

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/runner/mark/divergence"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/validity"
	"proctor/runner/report/page"
)

// Limits of the short page for lists of any length.
const (
	fewNotices = 2

	longestCommand = 64 // to be written out: that of a sweep names all its files
)

// shortPage is one screen: what one wants to know first, and where the rest is.
func shortPage(c *pairs.Comparison) page.Page {
	notices := slices.Clone(c.Warnings)
	for _, p := range c.Pairs {
		notices = append(notices, p.Warnings...)
	}
	notices = slices.DeleteFunc(format.Once(notices), func(text string) bool { return strings.Contains(text, validity.Also) })
	p := page.Page{Alert: c.Invalid(), Title: titleOf(c), Notices: page.Few(notices, fewNotices), More: rest(c)}
	verdict := verdictSection(c)
	verdict.Facts = nil // they are in the overview
	rest := restSection(c)
	if rest.Table != nil {
		rest.Table.Shorten(page.FirstColumns)
	}
	p.Add(verdict, overview(c), rest)
	return p
}

// overview has a line per run, with the figures to choose by.
func overview(c *pairs.Comparison) page.Section {
	scored := c.Pairs[0].Changed != nil
	changed := "flips"
	if scored {
		changed = "Mean KLD"
	}
	s := page.Section{Table: &page.Grid{Head: []string{
		"model", "size", "bits", c.Pairs[0].MeasureName(), "change", pairInterval(c), changed, "questions/min", "verdict",
	}}}
	for i := range c.Runs {
		run := &c.Runs[i]
		cells := []string{run.Name, format.Size(run.Model.SizeBytes, format.Undefined), bits(run.Model.BitsPerWeight),
			withHalfWidth(&run.Headline),
			"", "", "", run.PerMinute(), ""}
		switch {
		case i == 0 && scored:
			cells[6] = fromReference(c.Pairs[0].Changed.A)
		case i == 0:
		default:
			p := &c.Pairs[i-1]
			cells[4], cells[5], cells[6], cells[8] = change(p.Difference), interval(p.CI), format.Percent(p.Flips), decisionWord(p)
			if scored {
				cells[6] = fromReference(p.Changed.B)
			}
		}
		s.Table.Add(cells...)
	}
	timed := slices.ContainsFunc(c.Runs, func(r pairs.Run) bool { return r.Speed.PerMinute.Defined() })
	if c.OtherWork != "" || !timed {
		s.Table.Narrow(0, "questions/min")
	}
	s.Table.Narrow(page.FirstColumns, "size", "flips", "bits", "questions/min", changed)
	s.Table.Shorten(page.FirstColumns)
	s.Notes = append([]string{fmt.Sprintf("on %s; guessing scores %s; ± is half the %s", format.Several(c.Pairs[0].Questions, "question"),
		format.Percent(c.Runs[0].Headline.Baseline), intervalName(c))}, page.Few(c.FellBack(), 1)...)
	if timed {
		s.Notes = append(s.Notes, speedNote(c, slices.Contains(s.Table.Head, "questions/min")))
	}
	if open := undecided(c); open != "" {
		s.Notes = append(s.Notes, open)
	}
	return s
}

// speedNote says how far the speeds can be trusted, which the overview shows if it has room for them.
func speedNote(c *pairs.Comparison, shown bool) string {
	command := benchCommand(c)
	if len(command) > longestCommand {
		command = "proctor bench " + setting.Exam.As("MODEL…")
	}
	if c.OtherWork != "" {
		return speedsAbsent(c, command)
	}
	if !shown && command != "" {
		return "to compare speeds: " + command
	}
	return "speeds were not measured together" + measured(command)
}

// withHalfWidth formats a score with half the width of its interval: 75.00 % ± 4.23.
func withHalfWidth(f *metrics.Headline) string {
	text := format.Percent(f.Value)
	if ci := f.CI; !ci.IsZero() {
		text += " ± " + format.Decimal(ci.HalfWidth(), 100, 2, "")
	}
	return text
}

// fromReference formats a model's divergence from the reference, which has none itself.
func fromReference(d *divergence.Distance) string {
	if d == nil {
		return "reference"
	}
	return format.Nat(d.MeanKLD)
}

// decisionWord words a pair's decision.
func decisionWord(p *pairs.Pair) string {
	switch {
	case p.Decision == "":
		return "not valid"
	case p.Decision == pairs.Identical && p.ShownNotWorse():
		return "not worse"
	case p.Decision == pairs.Identical:
		return "undecided"
	case p.Decision == pairs.Undecided && p.Below():
		return "worse, undecided"
	}
	return strings.ReplaceAll(string(p.Decision), "_", " ")
}

// rest says where to find everything else.
func rest(c *pairs.Comparison) string {
	command := []string{"proctor", "compare"}
	for i := range c.Runs {
		command = append(command, c.Runs[i].Path)
	}
	if c.Margin != pairs.DefaultMargin {
		command = append(command, setting.Margin.String(), format.TypedPoints(c.Margin))
	}
	all := setting.Command(append(command, setting.Full.String())...)
	if len(all) <= longestCommand && c.Runs[0].Without == nil {
		return "everything: " + all
	}
	return "everything: the same command with " + setting.Full.String()
}
