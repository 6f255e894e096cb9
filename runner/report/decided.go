package report

import (
	"cmp"
	"fmt"

	"github.com/dustin/go-humanize/english"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/stats/betting"
	"proctor/runner/report/page"
)

// decisions names for people what a run that is compared with another can decide.
var decisions = map[stats.Decision]string{
	stats.NotWorse: "not worse by the margin or more",
	stats.Worse:    "worse by more than the margin",
	stats.Better:   "better",
}

// Decided words an interim analysis of a run against its reference, in one line.
func Decided(i *journal.Interim) string {
	line := fmt.Sprintf("%s, difference %s, e-values: not worse %s, worse %s", format.Several(i.Questions, "question"),
		format.Change(stats.Known(i.Value), 2), eValue(i.Evidence.NotWorse), eValue(i.Evidence.Worse))
	switch decision := decisions[stats.Decision(i.Decision)]; {
	case i.Stop == journal.StopExhausted:
		line += "; " + exhausted(i)
	case decision != "":
		line += fmt.Sprintf("; %s, decided after %s", decision, format.Several(i.After, "question"))
	}
	return line
}

// exhausted words the result of all questions together, if no interim analysis decided anything.
func exhausted(i *journal.Interim) string {
	all := fmt.Sprintf("all %s asked", format.Several(i.Questions, "question"))
	low, known := stats.Known(i.Low).Get()
	if !known {
		return all
	}
	decision := cmp.Or(decisions[stats.Decision(i.Decision)], "undecided")
	return fmt.Sprintf("%s, on which it is %s (%g %% interval %s … %s)", all, decision, 100*i.Confidence, format.Change(stats.Of(low), 2),
		format.Change(stats.Known(i.High), 2))
}

// eValue formats an e-value for people, who only need to know whether it is far beyond any level.
func eValue(e float64) string {
	if e > 1e6 {
		return "> 1,000,000"
	}
	return format.Short(stats.Of(e))
}

// decidedSection shows the course of a run that stops once its comparison with another is decided; empty for other runs.
func decidedSection(s *metrics.Sequential, valid bool) page.Section {
	section := page.Section{Title: "Stopping"}
	if s == nil {
		return section
	}
	section.Facts.Add("rule", "until decided", fmt.Sprintf("against %s, margin %s: at most %s of such decisions are wrong, however often "+
		"it is checked", s.Against.Run, format.Points(stats.Of(s.Against.Margin), 2), format.Percent(stats.Of(s.Against.Alpha))))
	switch s.Stopped {
	case journal.StopDecided:
		detail := fmt.Sprintf("after %s, of questions like these", format.Several(s.After, "question"))
		if failed := s.History[len(s.History)-1].Errors; failed > 0 {
			detail += fmt.Sprintf("; it holds whatever the %s that failed would have been", format.Several(failed, "question"))
		}
		section.Facts.Add("decided", decisions[stats.Decision(s.Decision)], detail)
	case journal.StopExhausted:
		last := &s.History[len(s.History)-1]
		why := exhausted(last)
		switch {
		case !valid:
			why = "a score that is not valid decides nothing"
		case last.Errors > 0:
			why = "all questions were asked, and some failed: run it again with " + setting.Resume.String()
		}
		section.Facts.Add("decided", cmp.Or(decisions[stats.Decision(s.Decision)], "no"), why)
	default:
		analyses := english.Plural(len(s.History), "interim analysis", "interim analyses")
		section.Facts.Add("decided", "not yet", fmt.Sprintf("after %s; run it again with %s", analyses, setting.Resume))
	}
	if len(s.History) == 0 {
		return section
	}
	section.Table = &page.Grid{Head: []string{"interim analysis", "questions", "difference", "e: not worse", "e: worse", "e: better"}}
	for _, look := range s.History {
		section.Table.Add(format.Count(look.Number), format.Count(look.Questions), format.Change(stats.Known(look.Value), 2),
			eValue(look.Evidence.NotWorse), eValue(look.Evidence.Worse), eValue(look.Evidence.Better))
	}
	section.Notes = []string{fmt.Sprintf("an e-value of %s decides (Waudby-Smith and Ramdas, arXiv 2010.09686)",
		format.Short(stats.Of(betting.Threshold(s.Against.Alpha))))}
	return section
}
