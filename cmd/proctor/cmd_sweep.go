package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask"
	"proctor/runner/ask/progress"
	"proctor/runner/ask/spec"
	"proctor/runner/ask/sweep"
	"proctor/runner/journal"
	"proctor/runner/mark/choice"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
	"proctor/runner/report/compare"
	"proctor/runner/report/page"
)

type sweepOptions struct {
	asking
	spec   sweep.Spec
	asked  *ask.Asked // what the sweep that is resumed was asked for; nil for a new one
	format page.Format[*choice.Choice]
}

// Sweep tries quantisations and settings of a model.
func Sweep(p *console.Program) *cli.Command {
	o := sweepOptions{asking: asking{model: console.Showing(p)}, spec: sweep.Default()}
	w := console.WordsOf("sweep")
	return w.Command(&cli.Command{
		Flags: slices.Concat(w.Fields(&o.spec, sweep.OfRuns...), o.resultFlags(w),
			[]cli.Flag{flags.Format(w, &o.format, compare.ChoiceFormats)}, o.config.Flags(w, "models")),
		Before: o.before,
		Action: func(c *cli.Context) error {
			if err := o.settle(c, p.Args); err != nil {
				return err
			}
			if err := refuse(w, c, spec.Flags(&o.spec, new(sweep.Default()))); err != nil {
				return err
			}
			if done, err := o.config.Print(p.Stdout, c, spec.Flags(&o.spec, new(sweep.Default()))); done {
				return err
			}
			s, err := o.plan(c, p)
			if err != nil {
				return err
			}
			return o.sweep(c.Context, p, s)
		},
	})
}

// settle completes the sweep's specification: from the flags for a new sweep, from its folder for a resumed one.
func (o *sweepOptions) settle(c *cli.Context, args []string) (err error) {
	if o.likeRun {
		header, err := journal.HeaderOf(o.config.Path)
		if err != nil {
			return err
		}
		was, err := o.started(c, o.config.Path, &header, args)
		if err != nil {
			return err
		}
		spec.Override(&was, &o.spec.Spec, givenIn(c))
		o.spec.Spec = was
	}
	if o.spec.Models = o.config.Arguments(c); !o.run.Resume {
		return nil
	}
	if err := o.folder(c.Args().Slice(), "sweep"); err != nil {
		return err
	}
	o.asked, err = ask.AskedIn(o.run.Out, "sweep")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing to resume in %s: it has no sweep.json", o.run.Out)
	}
	if err != nil {
		return err
	}
	call := o.spec
	o.spec = sweep.Default()
	if err := o.resumeAsked(c, o.asked, &o.spec, &call, new(sweep.Default()), args); err != nil {
		return err
	}
	if err := pin(&o.spec.Style, o.run.Out); err != nil {
		return err
	}
	o.spec.Models = o.asked.Models
	var wanted choice.Wishes
	if text := strings.Join(o.asked.Flags["want"], ""); text != "" {
		if err := wanted.Set(text); err != nil {
			return err
		}
	}
	if (len(wanted) == 0) != (len(o.spec.Want) == 0) {
		return fmt.Errorf("--want %s: the sweep was started without it, and its runs ask everything: start a new one",
			o.spec.Want.Texts()[0])
	}
	if margin := float64(o.spec.Margin); wanted.Loss(margin) != o.spec.Want.Loss(margin) {
		return fmt.Errorf("--want %s: the candidates stop by the loss that the sweep was started with: write loss<=%s in it",
			o.spec.Want.Texts()[0], format.TypedPoints(wanted.Loss(margin)))
	}
	limit, grown := strings.Join(o.asked.Flags["limit"], ""), o.spec.Limit.String()
	if limit != grown && (o.spec.UntilDecided || len(o.spec.Want) > 0) {
		return fmt.Errorf("--limit %s: a sweep with --until-decided or --want stops by itself: start a new one", grown)
	}
	return nil
}

// plan lays out the candidates, and refuses all that can be known to go wrong before a model is made or opened.
func (o *sweepOptions) plan(c *cli.Context, p *console.Program) (*sweep.Sweep, error) {
	o.begin(p)
	axes := &o.spec.Axes
	for _, model := range axes.Models {
		if err := registry.Find(model); err != nil {
			return nil, err
		}
	}
	s := &sweep.Sweep{Matrix: &ask.Matrix{Command: "sweep"}, Note: p.Note}
	s.Matrix.Asked = ask.Asked{Models: axes.Models, Flags: spec.Flags(&o.spec, new(sweep.Default())),
		Files: spec.Files(&o.spec)}
	if err := o.answers(&o.spec.Spec, c, axes.Models); err != nil {
		return nil, err
	}
	if len(axes.Types) > 0 && len(axes.Models) > 0 {
		source, quantises, err := registry.SourceOf(c.Context, axes.Models[0], o.spec.Imatrix, o.model)
		if err != nil {
			return nil, err
		}
		s.Matrix.Source = &source
		axes.Types = sweep.Others(&source, axes.Types)
		s.Cache = &sweep.Cache{Folder: o.spec.Cache, Quantizer: quantises}
		if s.Cache.Folder == "" {
			user, err := os.UserCacheDir()
			if err != nil {
				user = os.TempDir()
			}
			s.Cache.Folder = filepath.Join(user, "proctor", "models")
		}
	}
	candidates, err := axes.Candidates()
	if err != nil {
		return nil, err
	}
	if o.spec.Direct {
		s.Unread = "without reasoning there are no texts to read"
	} else if !o.modelFor(candidates[0]).Takes("keep-logprobs") {
		s.Unread = candidates[0].Name + " tells no log-probabilities to compare with"
	}
	if s.Set, err = console.OpenForRun(p, &o.spec.Questions); err != nil {
		return nil, err
	}
	eval, err := o.spec.One(s.Set, "sweep")
	if err != nil {
		return nil, err
	}
	if err := o.spec.Check(eval.Task); err != nil {
		return nil, err
	}
	if s.Cache != nil {
		if err := s.Cache.Check(*s.Matrix.Source, axes.Types); err != nil {
			return nil, err
		}
	}
	s.Options, s.Spec = o.run, o.spec
	s.Options.Resume = false // each candidate's run is resumed where it is there
	s.Open = func(ctx context.Context, c sweep.Candidate, opening sweep.Opening) (backends.Model, error) {
		options, earlier := o.modelFor(c), opening.Earlier
		if n := opening.Slots; n > 0 {
			options.Slots, options.Concurrency, earlier.Slots = n, n, n
			options.Given = slices.DeleteFunc(options.Given, func(flag string) bool {
				return flag == "slots" || flag == "concurrency"
			})
		}
		if opening.Earlier.Name != "" {
			options.Like = &earlier
		}
		return registry.OpenModel(ctx, options)
	}
	s.Answered = func(ended ask.Outcome) (*metrics.Summary, error) {
		result, err := metrics.Open(ended.Folder, metrics.Options{})
		if err == nil {
			err = report.Save(ended.Folder, result)
		}
		return result, err
	}
	folder := o.run.Out
	if folder == "" {
		folder = ask.DefaultFolder("sweeps", p.Now(), candidates[0].Name)
	}
	if err := s.Lay(candidates, folder); err != nil {
		return nil, err
	}
	return s, s.Matrix.Check(o.asked)
}

// modelFor are the options that open a candidate's model.
func (o *sweepOptions) modelFor(c sweep.Candidate) registry.Options {
	m := o.modelOf(c.Ref, o.spec.Models)
	if m.KVType = c.KVType; c.KVType == "" {
		m.Given = slices.DeleteFunc(m.Given, func(flag string) bool { return flag == "kv-type" })
	}
	return m
}

// sweep takes the candidates through the stages, and delivers the choice.
func (o *sweepOptions) sweep(ctx context.Context, p *console.Program, s *sweep.Sweep) error {
	if o.run.Out == "" {
		if err := s.Matrix.Claim(); err != nil {
			return err
		}
	}
	defer s.Matrix.Close()
	if err := s.Matrix.Begin(o.asked); err != nil {
		return err
	}
	monitor := &console.Monitor{Program: p}
	defer monitor.End()
	s.Observer = observer(p, monitor)
	draw := p.Draw()
	s.Working = func(line string) {
		monitor.End() // of the previous candidate
		if draw != nil && !p.Quiet {
			draw(line)
		}
	}
	s.Observer.Begin = func(_ string, header *journal.Header, from progress.Counts) {
		monitor.Begin(header, from, "["+s.Place()+"] ")
	}
	resume := resumeCommandOf(p, "sweep", s.Matrix.Folder, &o.spec, new(sweep.Default()))
	err := s.Run(ctx)
	monitor.End()
	if err != nil && errors.Is(context.Cause(ctx), console.ErrInterrupted) {
		return fmt.Errorf("%w; to resume: %s", console.ErrInterrupted, resume)
	}
	if err != nil {
		return fmt.Errorf("%w: %w; to resume: %s", console.ErrIncomplete, err, resume)
	}
	result, err := s.Choose()
	if err != nil {
		return fmt.Errorf("%w: %w: %s", console.ErrIncomplete, err, resume)
	}
	lacking := strings.Join(s.Lacking(), "; ")
	if result.Comparison == nil && lacking != "" {
		return fmt.Errorf("%w: fewer than two candidates were asked: %s; once the cause is mended: %s",
			console.ErrIncomplete, lacking, resume)
	}
	result.Saved = s.Matrix.Folder
	for _, each := range compare.FullChoice {
		if !slices.Contains([]string{"text", "json", "html"}, each.Name) {
			continue
		}
		if err := console.Write(p, filepath.Join(s.Matrix.Folder, "choice"+each.Ext), each, result); err != nil {
			return err
		}
	}
	if err := o.format.Write(p.Stdout, result); err != nil {
		return err
	}
	if lacking != "" {
		return fmt.Errorf("%w: %s; once the cause is mended: %s", console.ErrIncomplete, lacking, resume)
	}
	return nil
}
