package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/backends/setting"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/ask/progress"
	"proctor/runner/ask/spec"
	"proctor/runner/ask/stopping"
	"proctor/runner/journal"
	"proctor/runner/mark/again"
	"proctor/runner/mark/format"
	"proctor/runner/report"
)

type runOptions struct {
	asking
	spec      spec.Spec  // of every run; one of several has its own model and set
	models    []string   // to ask
	asked     *ask.Asked // what the matrix that is resumed was asked for; nil for any other run
	format    report.Format
	failBelow *float64
	dryRun    bool
}

// Run asks models every question.
func Run(p *console.Program) *cli.Command {
	w := console.WordsOf("run")
	o := runOptions{asking: asking{model: console.Showing(p)}, spec: spec.Default()}
	return w.Command(&cli.Command{
		Flags:  o.cliFlags(w),
		Before: o.before,
		Action: func(c *cli.Context) error {
			if err := o.settle(c, p.Args); err != nil {
				return err
			}
			if err := refuse(w, c, o.spec.Flags()); err != nil {
				return err
			}
			if done, err := o.config.Print(p.Stdout, c, o.spec.Flags()); done {
				return err
			}
			m, err := o.plan(c, p)
			if err != nil {
				return err
			}
			if o.dryRun {
				for i := range m.Cells {
					forecast, err := ask.Foresee(c.Context, &m.Cells[i])
					if err != nil {
						return err
					}
					if err := report.DryRun(forecast).Text(p.Stdout); err != nil {
						return err
					}
				}
				return nil
			}
			return o.ask(c.Context, p, m)
		},
	})
}

// cliFlags are the flags of the command: those of a run's specification, and those of one call.
func (o *runOptions) cliFlags(w *flags.Words) []cli.Flag {
	return slices.Concat(w.Fields(&o.spec), o.resultFlags(w), []cli.Flag{
		w.Read("again", func(which string) error {
			if o.run.Again = strings.EqualFold(which, again.Length); !o.run.Again {
				return fmt.Errorf("--again %s: only %s, what the cap cut, is asked again; --resume alone asks again what failed",
					which, again.Length)
			}
			return nil
		}),
		flags.Format(w, &o.format, report.Formats),
		w.Share("fail-below", flags.Share{Given: &o.failBelow}),
		w.Switch("dry-run", &o.dryRun),
	}, o.config.Flags(w, "models"))
}

// settle completes what is asked: from the flags for a new run, also from an example's journal; from its folder for a
// resumed one.
func (o *runOptions) settle(c *cli.Context, args []string) (err error) {
	if o.run.Resume && o.run.Out == "" {
		err = o.folder(c.Args().Slice(), "run")
	} else {
		o.models, err = console.Models(c, o.config.Arguments(c))
		if len(o.models) == 1 && c.String("model") != o.models[0] {
			err = c.Set("model", o.models[0])
		}
	}
	if err != nil || !o.run.Resume && !o.likeRun {
		return err
	}
	call, from := o.spec, o.config.Path
	if o.run.Resume {
		if filepath.Base(o.run.Out) == journal.FileName {
			o.run.Out = filepath.Dir(o.run.Out)
		}
		from = o.run.Out
		o.asked, err = ask.AskedIn(from, "run")
		if err == nil {
			o.spec = spec.Default()
			if err := o.resumeAsked(c, o.asked, &o.spec, &call, new(spec.Default()), args); err != nil {
				return err
			}
			if err := pin(&o.spec.Style, from); err != nil {
				return err
			}
			if o.models != nil && !slices.Equal(o.models, o.asked.Models) {
				return fmt.Errorf("%s was started with the models %s and keeps them: leave yours out, or begin anew", from,
					setting.Command(o.asked.Models...))
			}
			if data := strings.Join(o.asked.Flags["data"], ""); o.spec.Data.Ref != data {
				return fmt.Errorf("%s: the run was started with %s and keeps that: leave it out, or begin anew",
					setting.Data.As(o.spec.Data.Ref), setting.Data.As(data))
			}
			o.models = o.asked.Models
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if runs := journal.Runs(from); len(runs) > 1 {
			first := runs[0][0]
			if len(runs[0]) > 1 { // of its tasks
				first = filepath.Dir(first)
			}
			return fmt.Errorf("%s holds %d runs that were not started together: resume one of them, as with %s", from, len(runs),
				setting.Command("proctor", "run", "--resume", first))
		}
	}
	several := len(o.models) > 1 || len(call.Data.Refs()) > 1
	header, err := journal.HeaderOf(from)
	if errors.Is(err, fs.ErrNotExist) && (several || c.IsSet("shard") && o.models != nil) {
		o.run.Resume = false // the same command starts and resumes the run
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := ask.AskedIn(from, "sweep"); err == nil {
			return fmt.Errorf("%s is a sweep: %s", from, setting.Command("proctor", "sweep", "--resume", from))
		}
		return fmt.Errorf("nothing to resume in %s: drop --resume", from)
	}
	if err != nil {
		return err
	}
	if several && o.run.Resume {
		return fmt.Errorf("%s is the run of one model on one set, and these are several: leave them out", from)
	}
	if o.spec, err = o.started(c, from, &header, args); err != nil {
		return err
	}
	if o.run.Resume {
		err = spec.Resume(&o.spec, &call, givenIn(c))
	} else {
		spec.Override(&o.spec, &call, givenIn(c))
	}
	if len(o.models) < 2 {
		o.models = []string{o.spec.Model}
	}
	return err
}

// plan lays out the matrix, and refuses all that can be known to go wrong before a model is opened.
func (o *runOptions) plan(c *cli.Context, p *console.Program) (*ask.Matrix, error) {
	sets := o.spec.Data.Refs()
	several := len(o.models)*len(sets) > 1
	for _, flag := range []string{"until-decided", "shard", "again"} {
		if several && c.IsSet(flag) {
			return nil, fmt.Errorf("--%s is of one run, and these are several: name one MODEL and one set", flag)
		}
	}
	for _, flag := range []string{"map", "shots-file", "ids"} {
		if len(sets) > 1 && c.IsSet(flag) {
			return nil, fmt.Errorf("--%s is of one set, and --data names %d", flag, len(sets))
		}
	}
	for i, set := range sets {
		if set == "" && len(sets) > 1 {
			return nil, fmt.Errorf("--data %s: a set is missing before or behind a comma", o.spec.Data.Ref)
		}
		if slices.Contains(sets[:i], set) {
			return nil, fmt.Errorf("--data %s: %s is named twice", o.spec.Data.Ref, set)
		}
	}
	if several && o.run.Out != "" && journal.File(o.run.Out) == o.run.Out {
		return nil, fmt.Errorf("--out %s: a journal is of one run: name a folder for several", o.run.Out)
	}
	o.begin(p)
	m := &ask.Matrix{Command: "run"}
	models, names := ask.Names(o.models), ask.Names(sets)
	for i, model := range o.models {
		if err := registry.Find(model); several && err != nil {
			return nil, err
		}
		for j, set := range sets {
			one := *o
			one.spec.Model, one.spec.Data.Ref = model, set
			program := *p
			program.Quiet = p.Quiet || i > 0 // what there is to say about a set is said once
			cell, err := one.cell(c, &program)
			if err != nil {
				return nil, err
			}
			var parts []string
			if len(models) > 1 {
				parts = append(parts, models[i])
			}
			if len(sets) > 1 {
				parts = append(parts, names[j])
			}
			cell.Name = strings.Join(parts, " ") // no model's name has a space that a set's begins with
			m.Cells = append(m.Cells, cell)
		}
	}
	if several {
		o.spec.Model = spec.Embedded
	}
	m.Asked = ask.Asked{Models: o.models, Flags: o.spec.Flags(), Files: spec.Files(&o.spec)}
	if m.Place(o.run.Out); o.run.Out == "" {
		m.Place(ask.DefaultFolder("runs", p.Now(), o.title(m, models, len(sets))))
	}
	return m, m.Check(o.asked)
}

// title is what names a run that nobody names: model and task, or how many there are.
func (o *runOptions) title(m *ask.Matrix, models []string, sets int) string {
	if len(m.Cells) > 1 {
		return strings.ReplaceAll(format.Several(len(models), "model")+" "+format.Several(sets, "set"), " ", "-")
	}
	evals := m.Cells[0].Evals
	title := models[0] + "-" + evals[0].Task.String()
	if len(evals) > 1 {
		title = fmt.Sprintf("%s-%d-tasks", models[0], len(evals))
	}
	if s := o.spec.Shard; s.Count > 0 { // others of the run may begin in the same second
		title += fmt.Sprintf("-shard-%d-of-%d", s.Index, s.Count)
	}
	return title
}

// generationFlags are run's flags about generated completions, which a direct run has none of.
var generationFlags = []string{"max-tokens", "think-budget", "stop", "loops", "temperature", "sampling"}

// cell is the specification's run, on its set.
func (o runOptions) cell(c *cli.Context, p *console.Program) (cell ask.Cell, err error) {
	given := givenIn(c)
	if err := o.answers(&o.spec, c, o.models); err != nil {
		return cell, err
	}
	if err := o.model.Check(); err != nil {
		return cell, err
	}
	var reference journal.Header
	if o.spec.UntilDecided != "" && !o.run.Resume { // its questions, where nothing else is said
		if reference, err = (stopping.Until{Run: o.spec.UntilDecided}).Header(); err != nil {
			return cell, err
		}
		if was, err := spec.Of(&reference, func(string) error { return nil }); err == nil && !given("data") {
			o.spec.Data = was.Data
		}
	}
	set, err := console.OpenForRun(p, &o.spec.Questions)
	if err != nil {
		return cell, err
	}
	if reference.Task != "" {
		tasks, err := task.Parse(o.spec.Tasks, set.Subjects())
		if err != nil {
			return cell, err
		}
		named := slices.ContainsFunc(tasks, func(t task.Task) bool { return t.Subject != "" })
		o.spec.DrawAs(&reference.Selection, func(flag string) bool { return given(flag) || flag == "subjects" && named })
	}
	cell.Options = o.run
	if err := cell.Specify(set, &o.spec); err != nil {
		return cell, err
	}
	isDirect := func(e prompts.Eval) bool { return e.Task.Direct }
	if err := o.model.CheckDirect(); err != nil && slices.ContainsFunc(cell.Evals, isDirect) {
		return cell, err
	}
	if !slices.ContainsFunc(cell.Evals, func(e prompts.Eval) bool { return !isDirect(e) }) {
		for _, flag := range generationFlags {
			if cell.Flags[flag] != nil {
				return cell, fmt.Errorf("--%s is of what is generated: a direct run generates nothing, so leave it out", flag)
			}
		}
		if o.spec.Think == "on" {
			return cell, errors.New("--think on: a direct run has the letter before any thinking, so leave it out")
		}
	}
	// A resumed run keeps its number of items in flight, unless a flag changes it: greedy text can depend on it.
	cell.Open = func(ctx context.Context, earlier backends.EngineInfo) (backends.Model, error) {
		if earlier.Name != "" {
			o.model.Like = &earlier
		}
		return registry.OpenModel(ctx, o.model)
	}
	return cell, nil
}

// ask asks the cells in turn, and reports each task at its end. A cell that fails keeps no other from being asked; an
// interruption and a journal that is gone end them all.
func (o *runOptions) ask(ctx context.Context, p *console.Program, m *ask.Matrix) (err error) {
	if o.run.Out == "" {
		if err := m.Claim(); err != nil {
			return err
		}
	}
	defer m.Close()
	if err := m.Begin(o.asked); err != nil {
		return err
	}
	monitor, running := &console.Monitor{Program: p}, &runningReport{Program: p}
	defer monitor.End()
	defer running.end()
	r := &results{Program: p, matrix: m, format: o.format, failBelow: o.failBelow, whole: true}
	r.resume = func(folder string) string { return resumeCommandOf(p, "run", folder, &o.spec, new(spec.Default())) }
	for i := range m.Cells {
		cell := &m.Cells[i]
		if cell.Name != "" {
			p.Note(fmt.Sprintf("run %d of %d: %s", i+1, len(m.Cells), filepath.Base(cell.Out)))
		}
		cell.Observer = observer(p, monitor)
		begin := cell.Begin
		cell.Begin = func(folder string, header *journal.Header, from progress.Counts) {
			begin(folder, header, from)
			running.begin(folder)
		}
		r.runs = append(r.runs, nil)
		session, err := ask.New(ctx, cell)
		if err == nil {
			err = session.Run(ctx, func(ended ask.Outcome) error {
				monitor.End()
				running.end()
				return r.add(ctx, ended)
			})
			err = errors.Join(err, session.Close())
		}
		if r.stop(ctx, err) {
			break
		}
	}
	return r.end()
}
