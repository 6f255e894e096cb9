package running

import (
	"fmt"

	"proctor/cmd/proctor/console"
	"proctor/runner/ask"
	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
	"proctor/runner/report"
)

// observer tells people how a run goes, of which t tells the progress. target is the half width that ends it, if any does.
func observer(p *console.Program, t *console.Monitor, target float64) ask.Observer {
	o := ask.Observer{Warn: p.Warn, Item: t.Item, Begin: func(folder string, header *journal.Header, asked []progress.Subject) {
		t.Begin(folder, header, asked, nil)
	}}
	if !p.Quiet {
		o.OnEstimate, o.OnPlan, o.Interim = ahead(p), p.Note, interim(p, target)
	}
	return o
}

// interim tells a person how far a run that stops by itself has come.
func interim(p *console.Program, target float64) func(*journal.Interim) {
	return func(interim *journal.Interim) {
		if interim.Evidence != nil {
			p.Note(fmt.Sprintf("look %d: %s", interim.Number, report.Decided(interim)))
			return
		}
		width, value := "no interval yet", ""
		if interim.HalfWidth != nil && interim.Value != nil {
			value = " " + format.Percent(stats.Of(*interim.Value))
			width = fmt.Sprintf("± %s of ± %s", format.Points(stats.Of(*interim.HalfWidth), 2), format.Points(stats.Of(target), 2))
		}
		p.Note(fmt.Sprintf("look %d: %d questions, %s%s, %s", interim.Number, interim.Questions, interim.Headline, value, width))
	}
}

// ahead says what a run is going to take, and on a terminal how to end it.
func ahead(p *console.Program) func(line string) {
	return func(line string) {
		if p.Terminal {
			line += "; Ctrl-C ends it and keeps what was answered"
		}
		p.Note(line)
	}
}
