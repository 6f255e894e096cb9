package main

import (
	"al.essio.dev/pkg/shellescape"

	"proctor/runner/ask"
)

// saved says where a run's answers are kept, and what one can do with them; so many of its tasks have reports.
func (p program) saved(session *ask.Session, reported int) {
	run := session.Folders()[0]
	command := func(args ...string) string { return shellescape.QuoteCommand(append([]string{p.args[0]}, args...)) }
	p.note("saved in " + session.Out)
	for _, folder := range session.Folders()[:reported] {
		p.note("      " + ask.ReportPath(folder, ".html") + "   for a browser, with every item")
	}
	p.note("next: " + command("report", run, "--items", "--where", "right=no") + "   lists what went wrong")
	p.note("      " + command("report", run, "--full") + "   says everything about it")
	p.note("      " + command("show", run) + " ID   shows one item")
	p.note("      " + command("compare", run) + " OTHER   sets another run beside it")
}
