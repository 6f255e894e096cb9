package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/backends/setting"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask"
	"proctor/runner/ask/form"
	"proctor/runner/ask/progress"
	"proctor/runner/ask/shard"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
	"proctor/runner/mark/forecast"
	"proctor/runner/report"
)

// asking is common to run and sweep: both ask, keep answers in journals, and can resume.
type asking struct {
	run     ask.Options // how each run is asked and kept
	model   registry.Options
	config  flags.Config
	likeRun bool   // config is a run's journal
	taken   string // what a resumed file says, for people
}

// resultFlags choose the folder, resuming, and the display of progress.
func (o *asking) resultFlags(w *flags.Words) []cli.Flag {
	return []cli.Flag{
		w.Text("out", &o.run.Out),
		w.Switch("resume", &o.run.Resume),
		w.Switch("quiet", &o.model.Quiet),
	}
}

// before sets a config file's flags first. A run's journal as the file is left for later, since it holds more than flags.
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

// started returns the specification of the run that is resumed, or that is the example for another.
func (o *asking) started(c *cli.Context, run string, header *journal.Header, args []string) (was spec.Spec, err error) {
	if was, err = spec.Of(header, func(flag string) error { return flags.Lacks(c.Command, flag) }); err != nil {
		return was, fmt.Errorf("%s: %w", journal.File(run), err)
	}
	if err := pin(&was.Style, run); err != nil {
		return was, err
	}
	return was, o.trust(journal.File(run), &was, new(spec.Default()), nil, args, givenIn(c))
}

// pin keeps the versions of the styles that a folder's runs have.
func pin(style *spec.Style, folder string) error {
	for _, task := range slices.Concat(journal.Runs(folder)...) {
		header, err := journal.HeaderOf(task)
		if errors.Is(err, fs.ErrNotExist) {
			continue // nothing was begun
		}
		if err != nil {
			return err
		}
		style.Pinned = append(style.Pinned, header.Style)
	}
	return nil
}

// resumeAsked reads what a matrix was asked for into a specification, and adds what the call may change of it.
func (o *asking) resumeAsked(c *cli.Context, was *ask.Asked, into, call, otherwise any, args []string) error {
	given, file := givenIn(c), filepath.Join(o.run.Out, c.Command.Name+".json")
	other := func(flag string) error { return flags.Lacks(c.Command, flag) }
	if err := spec.Read(into, was.Flags, was.Files, other); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := o.trust(file, into, otherwise, was.Models, args, given); err != nil {
		return err
	}
	return spec.Resume(into, call, given)
}

// folder finds the folder to resume: in --out, or in the only argument.
func (o *asking) folder(args []string, thing string) error {
	switch {
	case o.run.Out == "" && len(args) == 1:
		o.run.Out = args[0]
	case len(args) > 0:
		return fmt.Errorf("--resume continues one %s, in --out or in the DIR that follows, not %q", thing, args)
	case o.run.Out == "":
		return errors.New("--resume needs --out DIR, the folder of the " + thing + " to continue, or DIR alone")
	}
	return nil
}

// trust notes what a file that was read says, and refuses what needs the user's confirmation. The file may come from somebody else: it does
// not decide where anything is sent or written, nor whose code is loaded. started is the file's content, models are those of a sweep, which
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

// refuse applies the refusals in a command's words to the flags of the call and those in holds, of the resumed run.
func refuse(w *flags.Words, c *cli.Context, holds map[string][]string) error {
	return w.Refuse(func(flag string) bool { return c.IsSet(flag) || holds[flag] != nil })
}

// answers copies a specification into the options for one of several models. Every flag of the call must apply to one
// of them.
func (o *asking) answers(s *spec.Spec, c *cli.Context, models []string) (err error) {
	given := append(slices.Sorted(maps.Keys(s.Flags())), c.LocalFlagNames()...)
	switch idle, word := s.Drawn().Idle(), s.Sampling.Word; {
	case word == spec.Own && s.Temperature != 0:
		return fmt.Errorf("--sampling model has the model's own temperature, so leave --temperature %g out", s.Temperature)
	case word == spec.Greedy && s.Temperature != 0:
		return fmt.Errorf("--sampling greedy always takes the likeliest token, so leave --temperature %g out", s.Temperature)
	case idle != "":
		return fmt.Errorf("--sampling %s has no effect at --temperature 0, which always takes the likeliest token", idle)
	}
	for part := range s.Sampling.Parts() {
		if part.Set {
			given = append(given, string(setting.Sampling.With(part.Name)))
		}
	}
	if err := o.model.Set(s.Settings, given); err != nil {
		return err
	}
	if o.run.Form, err = form.Of(s.Prompts, registry.BuiltinTemplate); err != nil {
		return err
	}
	o.model = o.modelOf(o.model.Model, models)
	if s.Shard.Count > 0 {
		o.run.Shard = new(shard.Part(s.Shard))
	}
	return nil
}

// modelOf are the options of one of several models: flags that apply to others only don't count as given.
func (o *asking) modelOf(ref string, models []string) registry.Options {
	one := o.model
	one.Model = ref
	one.Given = slices.DeleteFunc(slices.Clone(o.model.Given), func(flag string) bool {
		return !one.Takes(flag) && slices.ContainsFunc(models, func(other string) bool {
			another := o.model
			another.Model = other
			return other != ref && another.Takes(flag)
		})
	})
	return one
}

// begin sets up notes and warnings, and what runs record of the program and the machine.
func (o *asking) begin(p *console.Program) {
	p.Quiet = o.model.Quiet
	if o.taken != "" {
		p.Note(o.taken)
	}
	o.run.Version, o.run.Now = p.Version, p.Now
	o.run.Host, o.run.Warn = registry.Host, p.Warn
}

// resumeCommandOf is the command line that resumes the specification's run in a folder.
func resumeCommandOf(p *console.Program, verb, folder string, of, otherwise any) string {
	claim := spec.Claims(of, otherwise, func(string) bool { return false })
	return setting.Command(append([]string{p.Args[0], verb, "--resume", folder}, claim.Unconfirmed...)...)
}

// observer shows people how a run goes, with its progress on t.
func observer(p *console.Program, t *console.Monitor) ask.Observer {
	o := ask.Observer{Warn: p.Warn, Item: t.Item, Open: t.Open,
		Begin: func(_ string, header *journal.Header, from progress.Counts) {
			t.Begin(header, from, "")
		}}
	if !p.Quiet {
		o.OnPlan = p.Note
		o.Interim = func(interim *journal.Interim) {
			p.Note(fmt.Sprintf("interim analysis %d: %s", interim.Number, report.Decided(interim)))
		}
		o.OnEstimate = func(f *forecast.Run) {
			line := report.Expected(f)
			if p.Terminal {
				line += "; Ctrl-C ends it and keeps what was answered"
			}
			p.Note(line)
		}
	}
	return o
}
