package report

import (
	"fmt"
	"math"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/stats/betting"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// decisions names for people what an early stopped comparison can decide.
var decisions = map[string]string{
	string(betting.NotWorse): "not worse by the margin or more",
	string(betting.Worse):    "worse",
	string(betting.Better):   "better",
}

// Decided is an interim analysis of a run against its reference, in a line for people.
func Decided(i *journal.Interim) string {
	line := fmt.Sprintf("%s, difference %s, e-values: not worse %s, worse %s", format.Several(i.Questions, "question"),
		format.Change(stats.Known(i.Value), 2), eValue(i.Evidence.NotWorse), eValue(i.Evidence.Worse))
	if i.Decision != "" {
		line += fmt.Sprintf("; %s, decided after %s", decisions[i.Decision], format.Several(i.After, "question"))
	}
	return line
}

// eValue is an e-value for people, who need to know no more than whether it is far beyond any level.
func eValue(e float64) string {
	if e > 1e6 {
		return "> 1,000,000"
	}
	return format.Short(stats.Of(e))
}

// decidedSection shows how a run went that stops once its comparison with another run is decided; it is empty for any other run.
func decidedSection(s *metrics.Sequential, valid bool) page.Section {
	section := page.Section{Title: "Stopping"}
	if s == nil {
		return section
	}
	section.Drawings = evidenceDrawings(s)
	section.Facts.Add("rule", "until decided", fmt.Sprintf("against %s, margin %s: at most %s of such decisions are wrong, however often "+
		"it is checked", s.Against.Run, format.Points(stats.Of(s.Against.Margin), 2), format.Percent(stats.Of(s.Against.Alpha))))
	switch s.Stopped {
	case journal.StopDecided:
		detail := fmt.Sprintf("after %s, for the set that %s draws its questions from", format.Several(s.After, "question"),
			s.Against.Run)
		if failed := s.History[len(s.History)-1].Errors; failed > 0 {
			detail += fmt.Sprintf("; it holds whatever the %s that failed would have been", format.Several(failed, "question"))
		}
		section.Facts.Add("decided", decisions[s.Decision], detail)
	case journal.StopAsked:
		why := "all questions were asked: too few to decide it for the set they are drawn from"
		switch {
		case !valid:
			why = "a score that is not valid decides nothing"
		case s.History[len(s.History)-1].Errors > 0:
			why = "all questions were asked, and some failed: run it again with " + setting.Resume.String()
		}
		section.Facts.Add("decided", "no", why)
	default:
		looks := format.Several(len(s.History), "interim look")
		section.Facts.Add("decided", "not yet", fmt.Sprintf("after %s; run it again with %s", looks, setting.Resume))
	}
	if len(s.History) == 0 {
		return section
	}
	section.Table = &page.Grid{Head: []string{"interim look", "questions", "difference", "e: not worse", "e: worse", "e: better"}}
	for _, look := range s.History {
		section.Table.Add(format.Count(look.Number), format.Count(look.Questions), format.Change(stats.Known(look.Value), 2),
			eValue(look.Evidence.NotWorse), eValue(look.Evidence.Worse), eValue(look.Evidence.Better))
	}
	section.Notes = []string{fmt.Sprintf("an e-value of %s shows “not worse”, of %s “worse” (Waudby-Smith and Ramdas, arXiv 2010.09686)",
		format.Short(stats.Of(1/s.Against.Alpha)), format.Short(stats.Of(2/s.Against.Alpha)))}
	return section
}

// highestEValue bounds what is drawn: beyond any level nobody needs to know more.
const highestEValue = 1e4

// evidenceDrawings are the e-values by questions asked. None of a run that was not held against another, and of one
// that has not looked yet.
func evidenceDrawings(s *metrics.Sequential) []page.Drawing {
	if s == nil || s.Against == nil || len(s.History) == 0 {
		return nil
	}
	notWorse, worse := html.Curve{Name: "not worse"}, html.Curve{Name: "worse"}
	for _, look := range s.History {
		x := float64(look.Questions)
		notWorse.Add(x, drawnAs(look.Evidence.NotWorse), stats.Interval{})
		worse.Add(x, drawnAs(look.Evidence.Worse), stats.Interval{})
	}
	asked := html.Counts(float64(s.History[len(s.History)-1].Questions), html.Plain)
	powerOfTen := func(log float64) string { return html.Plain(math.Pow(10, log)) }
	bar := func(name string, level float64) html.Curve {
		return html.Curve{Name: name, Dashed: true, Points: []html.Point{{X: 0, Y: math.Log10(level)}, {X: asked.High, Y: math.Log10(level)}}}
	}
	alpha := s.Against.Alpha
	return []page.Drawing{html.Plot{
		Caption: fmt.Sprintf("evidence after each look, as e-values: %s shows that it is not worse, %s that it is worse",
			format.Short(stats.Of(1/alpha)), format.Short(stats.Of(2/alpha))),
		X: asked, Y: html.Around(-2, math.Log10(highestEValue), powerOfTen), XLabel: "questions asked", YLabel: "e-value",
		Curves: []html.Curve{notWorse, worse, bar("shows not worse", 1/alpha), bar("shows worse", 2/alpha)},
	}}
}

// drawnAs is the logarithm of an e-value, in the bounds of the drawing.
func drawnAs(e float64) stats.Number { return stats.Of(math.Log10(min(highestEValue, max(0.01, e)))) }
