package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/backends/setting"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask"
	"proctor/runner/ask/progress"
	"proctor/runner/ask/shard"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
	"proctor/runner/report"
)

// asking is what run and sweep have in common: both ask, keep answers in journals, and can go on.
type asking struct {
	run      ask.Options // how each run is asked and kept
	model    registry.Options
	dryRun   bool
	progress string // how it is told
	full     bool   // the result has everything, in text and markdown
	config   flags.Config
	likeRun  bool   // config is a run's journal
	taken    string // from the file of what goes on, for people
}

// resultFlags say where what is asked is written, whether it goes on, and what is shown meanwhile.
func (o *asking) resultFlags(w *flags.Words) []cli.Flag {
	return []cli.Flag{
		w.Text("out", &o.run.Out),
		w.Switch("resume", &o.run.Resume),
		w.Switch("dry-run", &o.dryRun),
		w.Switch("full", &o.full),
		console.ProgressFlag(w, &o.progress),
		w.Switch("quiet", &o.model.Quiet),
	}
}

// before sets the flags of a file before anything else looks at them, but for those of a run, which say more.
func (o *asking) before(c *cli.Context) error {
	if o.config.Path == "" {
		return nil
	}
	if _, none := journal.HeaderOf(o.config.Path); none == nil {
		o.likeRun = true
		return nil
	}
	return o.config.Take(c)
}

// started is the specification of a run that goes on, or that another is like.
func (o *asking) started(c *cli.Context, run string, header *journal.Header, args []string) (was spec.Spec, err error) {
	if was, err = spec.Of(header, func(flag string) error { return flags.Lacks(c.Command, flag) }); err != nil {
		return was, fmt.Errorf("%s: %w", journal.File(run), err)
	}
	journals, err := journal.Under(run)
	for _, path := range journals { // of several tasks each has its own
		each, unread := journal.HeaderOf(path)
		was.Style.Pinned, err = append(was.Style.Pinned, each.Style), errors.Join(err, unread)
	}
	if err != nil {
		return was, err
	}
	return was, o.trust(journal.File(run), &was, new(spec.Default()), nil, args, givenIn(c))
}

// resumed finds the folder of the thing that goes on: in --out, or in the only argument.
func (o *asking) resumed(args []string, thing string) error {
	switch {
	case o.run.Out == "" && len(args) == 1:
		o.run.Out = args[0]
	case len(args) > 0:
		return fmt.Errorf("--resume goes on with one %s, in --out or in the DIR that follows, not %q", thing, args)
	case o.run.Out == "":
		return errors.New("--resume needs --out DIR, the folder of the " + thing + " to go on with, or DIR alone")
	}
	return nil
}

// trust says what a file names that is read, and refuses what no file decides and the call does not say. The file may be somebody else's
// work: it does not decide where anything is sent or written, nor whose code is loaded. begun is what it says, models are a sweep's, which
// no flag names.
func (o *asking) trust(file string, started, otherwise any, models, args []string, given func(flag string) bool) error {
	claim := spec.Claims(started, otherwise, given)
	if again := claim.Unconfirmed; len(again) > 0 {
		return fmt.Errorf("%s alone says %s, and a file does not decide %s; if that is right: %s", file, setting.Command(again...),
			claim.Decides, setting.Command(append(slices.Clone(args), again...)...))
	}
	if shown := append(models, claim.Shown...); len(shown) > 0 {
		o.taken = file + " says: " + setting.Command(shown...)
	}
	return nil
}

// givenIn says which flags a call gives; the environment may name the engine, too.
func givenIn(c *cli.Context) func(flag string) bool {
	return func(flag string) bool {
		return c.IsSet(flag) || flag == "engine" && os.Getenv(registry.EngineVariable) != ""
	}
}

// refuse looks for what the words of a command refuse, among the flags of the call and those that hold of what goes on.
func refuse(w *flags.Words, c *cli.Context, holds map[string][]string) error {
	return w.Refuse(func(flag string) bool { return c.IsSet(flag) || holds[flag] != nil })
}

// answers has the options for a model say what a specification does. given are the flags of the call, of which each must be of use.
func (o *asking) answers(s *spec.Spec, c *cli.Context) error {
	o.model.Given = append(slices.Sorted(maps.Keys(s.Flags())), c.LocalFlagNames()...)
	if err := drawable(s); err != nil {
		return err
	}
	for part := range s.Sampling.Parts() {
		if part.Set {
			o.model.Given = append(o.model.Given, string(setting.Sampling.With(part.Name)))
		}
	}
	if err := cmp.Or(console.Named(&o.model, &s.Model), console.Served(&o.model, &s.Servers)); err != nil {
		return err
	}
	form, err := console.FormOf(&s.Prompts)
	form.Now = s.Date.Time
	o.run.Form = form
	if s.Shard.Count > 0 { // of which each machine would find other settings
		o.run.Shard, o.model.Tune = new(shard.Part(s.Shard)), false
	}
	return err
}

// drawable refuses ways to draw tokens that do not go together.
func drawable(s *spec.Spec) error {
	switch idle, word := s.Drawn().Idle(), s.Sampling.Word; {
	case word == spec.Own && s.Temperature != 0:
		return fmt.Errorf("--sampling model has the model's own temperature, so leave --temperature %g out", s.Temperature)
	case word == spec.Greedy && s.Temperature != 0:
		return fmt.Errorf("--sampling greedy always takes the likeliest token, so leave --temperature %g out", s.Temperature)
	case idle != "":
		return fmt.Errorf("--sampling %s has no effect at --temperature 0, which always takes the likeliest token", idle)
	}
	return nil
}

// begin settles what people are told, and what runs have of the program and the machine.
func (o *asking) begin(p *console.Program) {
	p.Speak(o.model.Quiet, o.progress)
	if o.taken != "" {
		p.Note(o.taken)
	}
	o.run.Version, o.run.Now = p.Version, p.Now
	o.run.Host, o.run.Warn = registry.Host, p.Warn
}

// resumeCommandOf is the command line that goes on with what is in a folder, and is a specification's.
func resumeCommandOf(p *console.Program, verb, folder string, of, otherwise any) string {
	claim := spec.Claims(of, otherwise, func(string) bool { return false })
	return setting.Command(append([]string{p.Args[0], verb, "--resume", folder}, claim.Unconfirmed...)...)
}

// observer tells people how a run goes, of which t tells the progress.
func observer(p *console.Program, t *console.Monitor) ask.Observer {
	o := ask.Observer{Warn: p.Warn, Item: t.Item, Open: t.Open, Begin: func(folder string, header *journal.Header, subjects []progress.Subject) {
		t.Begin(folder, header, subjects, nil)
	}}
	if !p.Quiet {
		o.OnPlan = p.Note
		o.Interim = func(interim *journal.Interim) {
			p.Note(fmt.Sprintf("interim analysis %d: %s", interim.Number, report.Decided(interim)))
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
