package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/runner/ask"
	"proctor/runner/ask/progress"
	"proctor/runner/ask/sweep"
	"proctor/runner/journal"
	"proctor/runner/journal/output"
	"proctor/runner/mark/pairs"
	"proctor/runner/report/compare"
	"proctor/runner/report/page"
)

type sweepOptions struct {
	asking
	axes    sweep.Axes
	imatrix string
	cache   string
	sweep   sweep.Sweep
	given   map[string][]string // flags that hold in this call; those of the document are the ones it was begun with
	format  string
	plots   string
	first   string // candidate
}

// Sweep tries quantisations and settings of a model.
func Sweep(p *console.Program) *cli.Command {
	o := sweepOptions{asking: asking{model: console.Showing(p)}}
	w := console.WordsOf("sweep", "{forecasts}", sweep.ForecastFormats.Names(), "{formats}", compare.Formats.Names())
	return w.Command(&cli.Command{
		Flags:  o.cliFlags(w),
		Before: o.before(p.Args, func(c *cli.Context) error { return o.takeDocument(c, p.Args) }, w.Refusing()),
		Action: func(c *cli.Context) error {
			o.given = flagsGiven(c)
			delete(o.given, "plots") // of one call
			delete(o.given, "full")
			if o.run.Flags == nil {
				o.run.Flags, o.axes.Models = o.given, o.config.Arguments(c)
			}
			if done, err := o.config.Print(p.Stdout, c); done {
				return err
			}
			o.model.Given = c.LocalFlagNames()
			return runSweep(c.Context, p, o)
		},
	})
}

// cliFlags are the flags of the command. Those of its axes take lists.
func (o *sweepOptions) cliFlags(w *flags.Words) []cli.Flag {
	axes := o.axisFlags(w)
	var names []string
	for _, flag := range axes {
		names = append(names, flag.Names()[0])
	}
	o.format = compare.Formats[0].Name
	return slices.Concat(axes, o.judgingFlags(w), flags.But(o.questionFlags(), names...), flags.But(o.modelFlags(), append(names, "model")...),
		o.resultFlags(w), []cli.Flag{w.Text("format", &o.format), w.Text("plots", &o.plots)}, o.config.Flags(w, "models"))
}

// takeDocument gives a sweep that goes on the flags that it was begun with.
func (o *sweepOptions) takeDocument(c *cli.Context, args []string) error {
	if err := o.resumed(c, "sweep"); err != nil {
		return err
	}
	begun, err := sweep.Load(o.run.Out)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing to resume in %s: it has no %s", o.run.Out, sweep.FileName)
	}
	if err != nil {
		return err
	}
	given := flagsGiven(c)
	for name := range given {
		if name != "plots" && name != "full" && name != "limit" && confirmed[name] == "" {
			return fmt.Errorf("--%s: a sweep goes on with the flags that it was begun with, but for a larger --limit: leave it out, or "+
				"begin a new one", name)
		}
	}
	o.run.Flags, o.axes.Models = begun.Flags, begun.Models
	if larger := given["limit"]; larger != nil {
		o.run.Flags = maps.Clone(begun.Flags)
		o.run.Flags["limit"] = larger
	}
	o.taken, err = replay{file: filepath.Join(o.run.Out, sweep.FileName), flags: begun.Flags, args: args, models: begun.Models}.onto(c)
	return err
}

func runSweep(ctx context.Context, p *console.Program, o sweepOptions) error {
	o.begin(p)
	format, err := page.Chosen(compare.Formats, compare.Full, o.format, "", o.full)
	if err != nil && !o.dryRun {
		return err
	}
	o.settings.Thinking.Free = true // sweeps that were begun before there was a default go on
	s, document, err := planSweep(ctx, p, &o)
	if err != nil {
		return err
	}
	if o.dryRun {
		return forecastSweep(ctx, p, s, document, o)
	}
	told, err := watchSweep(p, s, &o)
	if err != nil {
		return err
	}
	defer told.Close()
	if err := s.Begin(*document, o.run.Resume); err != nil {
		return err
	}
	goOn := goOnIn(p, "sweep", s.Out, o.given)
	err = s.Run(ctx)
	told.End()
	if errors.Is(context.Cause(ctx), console.ErrInterrupted) {
		return fmt.Errorf("%w; to go on: %s", console.ErrInterrupted, goOn)
	}
	if err != nil {
		return fmt.Errorf("%w: %w; to go on: %s", console.ErrIncomplete, err, goOn)
	}
	result, err := s.Compare(pairs.Options{RuleSet: o.settings.RuleSet})
	if err != nil {
		return fmt.Errorf("%w: %w: %s", console.ErrIncomplete, err, goOn)
	}
	if err := deliverSweep(p, s, result, format, o.plots); err != nil {
		return err
	}
	if lacking := s.Lacking(); len(lacking) > 0 {
		return fmt.Errorf("%w: %s; once the cause is mended: %s", console.ErrIncomplete, strings.Join(lacking, "; "), goOn)
	}
	return nil
}

// planSweep finds out what is swept, without making or opening a model.
func planSweep(ctx context.Context, p *console.Program, o *sweepOptions) (*sweep.Sweep, *sweep.Document, error) {
	for _, model := range o.axes.Models {
		if err := registry.Find(model); err != nil {
			return nil, nil, err
		}
	}
	document := &sweep.Document{Models: o.axes.Models, Flags: o.run.Flags}
	var quantises registry.Quantizer
	if len(o.axes.Types) > 0 && len(o.axes.Models) > 0 {
		source, z, err := registry.SourceOf(ctx, o.axes.Models[0], o.imatrix, o.model)
		if err != nil {
			return nil, nil, err
		}
		quantises, document.Source = z, &source
		o.axes.Types = sweep.Others(&source, o.axes.Types)
	}
	candidates, err := o.axes.Candidates()
	if err != nil {
		return nil, nil, err
	}
	document.Take(candidates)
	o.first = candidates[0].Name
	set, err := console.OpenAsked(p, &o.Eval)
	if err != nil {
		return nil, nil, err
	}
	o.settings.Sampling.Seed = uint32(o.Selection.Seed)
	s := &o.sweep
	s.Options, s.RuleSet = o.run, o.settings.RuleSet
	s.Resume, s.Flags = false, nil // the document has these
	s.Out = cmp.Or(o.run.Out, filepath.Join("sweeps", p.Now().Format("20060102-150405")+"-"+output.Folder(candidates[0].Name)))
	eval, err := o.One(set, "sweep")
	if err != nil {
		return nil, nil, err
	}
	s.Asked = ask.Evals{Set: set, Evals: []prompts.Eval{eval}, Selection: o.Selection, Settings: o.settings}
	if s.Items, err = s.Asked.Items(); err != nil {
		return nil, nil, err
	}
	s.Open = o.open
	if len(o.axes.Types) > 0 {
		s.Cache = &sweep.Cache{Folder: modelsFolder(o.cache), Quantizer: quantises}
		if err := s.Cache.Check(*document.Source, o.axes.Types); err != nil {
			return nil, nil, err
		}
	}
	return s, document, nil
}

// open opens a candidate's model.
func (o *sweepOptions) open(ctx context.Context, c sweep.Candidate, path string, earlier backends.EngineInfo) (backends.Model, error) {
	options := o.candidateOptions(c, path)
	if earlier.Name != "" {
		options.Like = &earlier
	}
	return registry.Model(ctx, options)
}

// forecastSweep shows what a sweep would do.
func forecastSweep(ctx context.Context, p *console.Program, s *sweep.Sweep, d *sweep.Document, o sweepOptions) error {
	format, err := sweep.ForecastFormats.Named(o.format)
	if err != nil {
		return err
	}
	forecast, err := s.Forecast(ctx, d)
	if forecast == nil {
		return err
	}
	return cmp.Or(format.Write(p.Stdout, forecast), err)
}

// watchSweep has a sweep's progress told.
func watchSweep(p *console.Program, s *sweep.Sweep, o *sweepOptions) (*console.Monitor, error) {
	told, err := p.Monitor(o.progress, "")
	if err != nil {
		return nil, err
	}
	if !told.Draws() {
		o.model.Draw = nil
	}
	s.Observer = observer(p, told)
	if draw := p.Draw(); draw != nil && !p.Quiet {
		s.Working = func(line string) { told.End(); draw(line) }
	}
	s.Observer.Begin = func(folder string, header *journal.Header, asked []progress.Subject) {
		told.End()
		told.Begin(folder, header, asked, s.Where)
	}
	return told, nil
}

// deliverSweep writes the comparison to standard output, and as files into the sweep's folder.
func deliverSweep(p *console.Program, s *sweep.Sweep, c *pairs.Comparison, format page.Format[*pairs.Comparison], plots string) error {
	c.Saved = s.Out
	for _, each := range compare.Full {
		if !slices.Contains([]string{"text", "json", "html"}, each.Name) {
			continue
		}
		var out bytes.Buffer
		if err := each.Write(&out, c); err != nil {
			return err
		}
		if err := p.Deliver(filepath.Join(s.Out, "compare"+each.Ext), out.Bytes()); err != nil {
			return err
		}
	}
	if err := p.Plot(plots, compare.Figures(c)); err != nil {
		return err
	}
	return format.Write(p.Stdout, c)
}
