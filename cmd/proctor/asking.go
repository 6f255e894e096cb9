package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask"
	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/report"
)

// asking is what run and sweep have in common: both ask, keep answers in journals, and can go on.
type asking struct {
	console.Eval
	settings ask.Settings
	run      ask.Options // how each run is asked and kept
	model    registry.Options
	dryRun   bool
	progress string // how it is told
	full     bool   // the result has everything, in text and markdown
	config   flags.Config
	taken    string // from the file of what goes on, for people
}

// questionFlags say what is asked, and in which form.
func (o *asking) questionFlags() []cli.Flag {
	return slices.Concat(console.EvalFlags(&o.Eval), []cli.Flag{repeatsFlag(&o.settings.Repeats)},
		console.PromptFlags(&o.run.Form), console.ThinkFlags(&o.settings.Thinking))
}

// modelFlags say what answers, and how its tokens are drawn.
func (o *asking) modelFlags() []cli.Flag {
	return slices.Concat(console.ModelFlags(&o.model), console.ServerFlags(&o.model),
		[]cli.Flag{console.TuneFlag(&o.model)}, samplingFlags(&o.settings))
}

// resultFlags say where what is asked is written, whether it goes on, and what is shown meanwhile.
func (o *asking) resultFlags(w *flags.Words) []cli.Flag {
	return []cli.Flag{
		w.Text("out", &o.run.Out),
		w.Switch("resume", &o.run.Resume),
		w.Switch("dry-run", &o.dryRun),
		console.RulesFlag(w, &o.settings.RuleSet),
		w.Switch("full", &o.full),
		console.ProgressFlag(w, &o.progress),
		w.Switch("quiet", &o.model.Quiet),
	}
}

// before takes flags from a file, has what goes on take those that it was begun with, and then looks for refusals.
func (o *asking) before(args []string, goOn func(*cli.Context) error, refusing cli.BeforeFunc) cli.BeforeFunc {
	return func(c *cli.Context) error {
		if err := configure(&o.config, c, args); err != nil {
			return err
		}
		if o.run.Resume {
			if err := goOn(c); err != nil {
				return err
			}
		}
		return refusing(c)
	}
}

// resumed finds the folder of the thing that goes on: in --out, or in the only argument.
func (o *asking) resumed(c *cli.Context, thing string) error {
	switch {
	case o.run.Out == "" && c.NArg() == 1:
		o.run.Out = c.Args().First()
	case c.NArg() > 0:
		return fmt.Errorf("--resume goes on with one %s, in --out or in the DIR that follows, not %q", thing, c.Args().Slice())
	case o.run.Out == "":
		return errors.New("--resume needs --out DIR, the folder of the " + thing + " to go on with, or DIR alone")
	}
	return nil
}

// begin settles what people are told, and what runs have of the program and the machine.
func (o *asking) begin(p *console.Program) {
	p.Speak(o.model.Quiet, o.progress)
	if o.taken != "" {
		p.Note(o.taken)
	}
	o.run.Version, o.run.Context, o.run.Now = p.Version, o.model.Context, p.Now
	o.run.Host, o.run.Warn = registry.Host, p.Warn
}

// observer tells people how a run goes, of which t tells the progress.
func observer(p *console.Program, t *console.Monitor) ask.Observer {
	o := ask.Observer{Warn: p.Warn, Item: t.Item, Open: t.Open, Begin: func(folder string, header *journal.Header, asked []progress.Subject) {
		t.Begin(folder, header, asked, nil)
	}}
	if !p.Quiet {
		o.OnPlan = p.Note
		o.Interim = func(interim *journal.Interim) {
			p.Note(fmt.Sprintf("look %d: %s", interim.Number, report.Decided(interim)))
		}
		o.OnEstimate = func(line string) {
			if p.Terminal {
				line += "; Ctrl-C ends it and keeps what was answered"
			}
			p.Note(line)
		}
	}
	return o
}
