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
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask"
	"proctor/runner/ask/progress"
	"proctor/runner/ask/sweep"
	"proctor/runner/journal"
	"proctor/runner/journal/output"
	"proctor/runner/report/compare"
	"proctor/runner/report/page"
)

type sweepOptions struct {
	evalOptions
	axes         sweep.Axes
	imatrix      string
	cache        string
	untilDecided bool
	keepLogprobs bool
	margin       float64
	confidence   float64
	settings     ask.Settings
	form         ask.Form
	model        registry.Options
	flags        map[string][]string // that the sweep was begun with
	given        map[string][]string // that hold in this call
	out          string
	resume       bool
	dryRun       bool
	fsync        journal.Fsync
	progress     string
	format       string
	plots        string
	first        string // candidate
	taken        string // from the document of a sweep that goes on, for people
}

func (p *program) sweep() *cli.Command {
	o := sweepOptions{model: p.showing()}
	return &cli.Command{
		Name:      "sweep",
		Usage:     "quantise a model, ask each candidate the same questions, compare and recommend",
		ArgsUsage: "MODEL…",
		Description: "The first MODEL is what all others are compared with. --types quantises it; further MODELs are files\n" +
			"or Ollama models; --kv-type, --slots, --kernels and --prompt vary settings.\n" +
			"\n" +
			"   proctor sweep model-F16.gguf --types Q8_0,Q6_K,Q4_K_M,Q3_K_M --limit 1400 --out sweeps/m\n" +
			"   proctor sweep model-F16.gguf --types Q8_0,Q4_K_M --until-decided     ask no more than needed\n" +
			"   proctor sweep a-Q8_0.gguf b-Q4_K_M.gguf ollama:x:q4_K_M              existing models\n" +
			"   proctor sweep model-F16.gguf --types Q8_0,Q4_K_M --dry-run           disk, memory and time\n" +
			"   proctor sweep --resume sweeps/m                                      continue after a break\n" +
			flags.More +
			"   proctor sweep model-F16.gguf --types Q6_K,Q4_K_M --imatrix model.imatrix.gguf --keep-logprobs\n" +
			"   proctor sweep model-Q4_K_M.gguf --kv-type f16,q8_0,q4_0 --slots 1,autochange one thing at a time\n" +
			"   proctor sweep --resume sweeps/m --limit 2800                         extend the same draw\n" +
			"   proctor compare sweeps/m/model-F16 sweeps/m/Q4_K_M --flips --with-textcompare two of its runs\n" +
			"\n" +
			"Each candidate has a run's folder below --out, which report, show and compare read like any other. A candidate\n" +
			"that fails is in the result with its cause, the others are asked, and the exit code is 3. A model is recommended\n" +
			"if it is shown to be at most --margin worse than the first: the smallest, and of one size the fastest. Where that\n" +
			"is open, the result says how many questions would decide it.",
		Flags: slices.Concat(axisFlags(&o.axes, &o.imatrix, &o.cache), judgingFlags(&o), evalFlags(&o.evalOptions),
			[]cli.Flag{repeatsFlag(&o.settings.Repeats)}, flags.But(promptFlags(&o.form), "prompt"),
			flags.But(modelFlags(&o.model), "model", "kv-type", "slots", "kernels"), gpuFlags(&o.model), serverFlags(&o.model),
			[]cli.Flag{tuneFlag(&o.model), p.isolateFlag(&o.model)}, samplingFlags(&o.settings), penaltyFlags(&o.settings.Sampling),
			[]cli.Flag{
				flags.Stop(&o.settings.Stop), rulesFlag(&o.settings.RuleSet, "the style's own"),
				&cli.StringFlag{Name: "out", Destination: &o.out, Category: "RESULT",
					Usage: "write the sweep into `DIR` (default: sweeps/TIME-MODEL)"},
				&cli.BoolFlag{Name: "resume", Destination: &o.resume, Category: "RESULT",
					Usage: "continue the sweep in --out or the given DIR; a larger --limit extends it"},
				&cli.BoolFlag{Name: "dry-run", Destination: &o.dryRun, Category: "RESULT",
					Usage: "show disk, memory and time of each candidate; make and ask nothing"},
				fsyncFlag(&o.fsync), progressFlag(&o.progress),
				&cli.StringFlag{Name: "format", Destination: &o.format, Value: compare.Formats[0].Name, Category: "RESULT",
					Usage: "`FORMAT` of the comparison: " + compare.Formats.Names() + "; with --dry-run: " + sweep.ForecastFormats.Names()},
				plotsFlag(&o.plots),
				&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Destination: &o.model.Quiet, Category: "RESULT",
					Usage: "show errors only: no progress, notes or warnings"},
			}),
		Before: o.resuming(p.args, append(ofGPUs(), firstOfHowMany,
			flags.Refuse("imatrix", flags.Without("types"), "--imatrix goes with --types, which it is for"),
			flags.Refuse("cache", flags.Without("types"), "--cache goes with --types: no other models are made"),
			flags.Refuse("first", flags.With("until-decided"), "--first does not go with --until-decided, which draws its questions from all "+
				"subjects"),
			flags.Refuse("dry-run", flags.With("resume", "plots"), "--dry-run asks and compares nothing: leave --resume and --plots out"),
			flags.Refuse("quiet", flags.With("progress"), "--quiet shows no progress: leave --progress out"),
		)...),
		Action: func(c *cli.Context) error {
			o.given = flagsGiven(c)
			delete(o.given, "plots") // of one call
			if o.flags == nil {
				o.flags, o.axes.Models = o.given, c.Args().Slice()
			}
			o.model.Given = c.LocalFlagNames()
			return p.runSweep(c.Context, o)
		},
	}
}

// resuming gives a sweep that goes on the flags that it was begun with, and then looks for refusals.
func (o *sweepOptions) resuming(args []string, refusals ...flags.Refusal) cli.BeforeFunc {
	return func(c *cli.Context) error {
		if !o.resume || o.dryRun {
			return flags.Refusing(refusals...)(c)
		}
		if o.out == "" && c.NArg() == 1 {
			o.out = c.Args().First()
		} else if c.NArg() > 0 || o.out == "" {
			return fmt.Errorf("--resume goes on with one sweep, in --out or in the DIR that follows, not %q", c.Args().Slice())
		}
		begun, err := sweep.Load(o.out)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("nothing to resume in %s: it has no %s", o.out, sweep.FileName)
		}
		if err != nil {
			return err
		}
		for name := range flagsGiven(c) {
			if name != "plots" && name != "limit" && confirmed[name] == "" {
				return fmt.Errorf("--%s: a sweep goes on with the flags that it was begun with, but for a larger --limit: leave it out, or "+
					"begin a new one", name)
			}
		}
		o.flags, o.axes.Models = begun.Flags, begun.Models
		if larger := flagsGiven(c)["limit"]; larger != nil {
			o.flags = maps.Clone(begun.Flags)
			o.flags["limit"] = larger
		}
		o.taken, err = replay{file: filepath.Join(o.out, sweep.FileName), flags: begun.Flags, args: args, models: begun.Models}.onto(c)
		if err != nil {
			return err
		}
		return flags.Refusing(refusals...)(c)
	}
}

func (p *program) runSweep(ctx context.Context, o sweepOptions) error {
	p.quiet = o.model.Quiet
	p.objects = o.progress == byJSON
	format, err := compare.Formats.Named(o.format)
	if err != nil && !o.dryRun {
		return err
	}
	if o.taken != "" {
		p.note(o.taken)
	}
	s, document, err := p.planSweep(ctx, &o)
	if err != nil {
		return err
	}
	if o.dryRun {
		return p.forecastSweep(ctx, s, document, o)
	}
	told, err := p.watchSweep(s, &o)
	if err != nil {
		return err
	}
	defer told.close()
	if err := s.Begin(*document, o.resume); err != nil {
		return err
	}
	goOn := p.goOn("sweep", s.Out, o.given)
	registry.OnAbort(func(err error) {
		todo := "; to ask the other candidates: " + goOn
		if lost := s.Abandon(err); lost != nil {
			todo = fmt.Sprintf("; what was answered in the last second may be lost: %v", lost)
		}
		p.abandon(err, todo)
	})
	err = s.Run(ctx)
	told.end()
	if errors.Is(context.Cause(ctx), errInterrupted) {
		return fmt.Errorf("%w; to go on: %s", errInterrupted, goOn)
	}
	if err != nil {
		return fmt.Errorf("%w: %w; to go on: %s", errIncomplete, err, goOn)
	}
	result, err := s.Compare(compare.Options{RuleSet: o.settings.RuleSet, Force: len(o.axes.Prompts) > 1})
	if err != nil {
		return fmt.Errorf("%w: %w: %s", errIncomplete, err, goOn)
	}
	if err := p.deliverSweep(s, result, format, o.plots); err != nil {
		return err
	}
	if lacking := s.Lacking(); len(lacking) > 0 {
		return fmt.Errorf("%w: %s; once the cause is mended: %s", errIncomplete, strings.Join(lacking, "; "), goOn)
	}
	return nil
}

// planSweep finds out what is swept, without making or opening a model.
func (p *program) planSweep(ctx context.Context, o *sweepOptions) (*sweep.Sweep, *sweep.Document, error) {
	for _, model := range o.axes.Models {
		if err := registry.Find(model); err != nil {
			return nil, nil, err
		}
	}
	document := &sweep.Document{Models: o.axes.Models, Flags: o.flags}
	var quantises quantizer
	if len(o.axes.Types) > 0 && len(o.axes.Models) > 0 {
		source, z, err := registry.SourceOf(ctx, o.axes.Models[0], o.imatrix, o.model)
		if err != nil {
			return nil, nil, err
		}
		quantises.Quantizer = z
		document.Source = (*sweep.Source)(&source)
		o.axes.Types = document.Source.Others(o.axes.Types)
	}
	candidates, err := o.axes.Candidates()
	if err != nil {
		return nil, nil, err
	}
	document.Take(candidates)
	o.first = candidates[0].Name
	set, err := p.openAsked(&o.evalOptions)
	if err != nil {
		return nil, nil, err
	}
	eval, err := o.one(set, "sweep")
	if err != nil {
		return nil, nil, err
	}
	o.settings.Sampling.Seed = uint32(o.selection.Seed)
	s := &sweep.Sweep{
		Out: cmp.Or(o.out, filepath.Join("sweeps", p.now().Format("20060102-150405")+"-"+output.Folder(candidates[0].Name))), Form: o.form,
		KeepLogprobs: o.keepLogprobs, UntilDecided: o.untilDecided, Margin: o.margin, Confidence: o.confidence,
		RuleSet: o.settings.RuleSet, Version: version, Fsync: o.fsync, Host: registry.Host, Now: p.now, Warn: p.warn,
	}
	if s.Basis, err = ask.NewBasis(set, eval, o.selection, o.settings); err != nil {
		return nil, nil, err
	}
	s.Models = modelsOf{o}
	if len(o.axes.Types) > 0 {
		s.Cache = &sweep.Cache{Folder: modelsFolder(o.cache), Quantizer: quantises}
		if err := s.Cache.Check(*document.Source, o.axes.Types); err != nil {
			return nil, nil, err
		}
	}
	return s, document, nil
}

// modelsOf opens candidates.
type modelsOf struct{ *sweepOptions }

func (m modelsOf) Open(ctx context.Context, c sweep.Candidate, path string, earlier backends.EngineInfo) (backends.Model, error) {
	options := m.candidateOptions(c, path)
	if earlier.Name != "" {
		options.Like = &earlier
	}
	return registry.Model(ctx, options)
}

// quantizer makes models.
type quantizer struct{ registry.Quantizer }

func (q quantizer) Estimate(source sweep.Source, fileType string) (int64, error) {
	return registry.QuantizedBytes(registry.Source(source), fileType)
}

func (q quantizer) Quantize(ctx context.Context, source sweep.Source, fileType, to string, progress func(float64)) error {
	return q.Quantizer.Quantize(ctx, registry.Source(source), fileType, to, progress)
}

// forecastSweep shows what a sweep would do.
func (p *program) forecastSweep(ctx context.Context, s *sweep.Sweep, d *sweep.Document, o sweepOptions) error {
	format, err := sweep.ForecastFormats.Named(o.format)
	if err != nil {
		return err
	}
	forecast, err := s.Forecast(ctx, d)
	if forecast == nil {
		return err
	}
	return cmp.Or(format.Write(p.stdout, forecast), err)
}

// watchSweep has a sweep's progress told.
func (p *program) watchSweep(s *sweep.Sweep, o *sweepOptions) (*monitor, error) {
	how := o.progress
	if o.model.Quiet {
		how = byNothing
	} else {
		s.Ahead, s.Told, s.Interim = p.ahead, p.note, p.interim(0)
	}
	told, err := p.monitor(how, "")
	if err != nil {
		return nil, err
	}
	if told.every != redraw {
		o.model.Draw = nil
	}
	if draw := p.draw(); draw != nil && !p.quiet {
		s.Working = func(line string) { told.end(); draw(line) }
	}
	s.Watch = func(folder string, header *journal.Header, asked []progress.Subject, where func() progress.Sweep) func(*journal.Record) {
		told.end()
		told.begin(folder, header, asked)
		told.state.In(where)
		return told.item
	}
	return told, nil
}

// deliverSweep writes the comparison to standard output, and into the sweep's folder for people and for programs.
func (p *program) deliverSweep(s *sweep.Sweep, c *compare.Comparison, format page.Format[*compare.Comparison], plots string) error {
	for _, each := range compare.Formats {
		if !slices.Contains([]string{"text", "json", "html"}, each.Name) {
			continue
		}
		var out bytes.Buffer
		if err := each.Write(&out, c); err != nil {
			return err
		}
		if err := p.deliver(filepath.Join(s.Out, "compare"+each.Ext), out.Bytes()); err != nil {
			return err
		}
	}
	if err := p.plot(plots, c.Figures()); err != nil {
		return err
	}
	p.note("saved in " + s.Out + ": sweep.json, compare.html for a browser, and a run for each candidate")
	return format.Write(p.stdout, c)
}
