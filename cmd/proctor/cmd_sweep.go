package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/runner/ask"
	"proctor/runner/ask/progress"
	"proctor/runner/ask/spec"
	"proctor/runner/ask/sweep"
	"proctor/runner/journal"
	"proctor/runner/journal/output"
	"proctor/runner/mark/choice"
	"proctor/runner/report/compare"
	"proctor/runner/report/page"
)

type sweepOptions struct {
	asking
	spec   sweep.Spec
	flags  map[string][]string // flags that the sweep started with
	sweep  sweep.Sweep
	format page.Format[*choice.Choice]
}

// Sweep tries quantisations and settings of a model.
func Sweep(p *console.Program) *cli.Command {
	o := sweepOptions{asking: asking{model: console.Showing(p)}, spec: sweep.Default()}
	w := console.WordsOf("sweep")
	return w.Command(&cli.Command{
		Flags:  o.cliFlags(w),
		Before: o.before,
		Action: func(c *cli.Context) error {
			if err := o.settle(c, p.Args); err != nil {
				return err
			}
			if err := refuse(w, c, spec.Flags(&o.spec, new(sweep.Default()))); err != nil {
				return err
			}
			if done, err := o.config.Print(p.Stdout, c); done {
				return err
			}
			if err := o.answers(&o.spec.Spec, c); err != nil {
				return err
			}
			return runSweep(c.Context, p, o)
		},
	})
}

func runSweep(ctx context.Context, p *console.Program, o sweepOptions) error {
	o.begin(p)
	s, document, err := planSweep(ctx, p, &o)
	if err != nil {
		return err
	}
	monitor := watchSweep(p, s)
	defer monitor.End()
	if err := s.Begin(*document, o.run.Resume); err != nil {
		return err
	}
	resumeCommand := resumeCommandOf(p, "sweep", s.Out, &o.spec, new(sweep.Default()))
	err = s.Run(ctx)
	monitor.End()
	if err != nil && errors.Is(context.Cause(ctx), console.ErrInterrupted) {
		return fmt.Errorf("%w; to resume: %s", console.ErrInterrupted, resumeCommand)
	}
	if err != nil {
		return fmt.Errorf("%w: %w; to resume: %s", console.ErrIncomplete, err, resumeCommand)
	}
	result, err := s.Choose()
	if err != nil {
		return fmt.Errorf("%w: %w: %s", console.ErrIncomplete, err, resumeCommand)
	}
	lacking := s.Lacking()
	if result.Comparison == nil && len(lacking) > 0 {
		return fmt.Errorf("%w: fewer than two candidates were asked, there is nothing to compare: %s; once the cause is mended: %s",
			console.ErrIncomplete, strings.Join(lacking, "; "), resumeCommand)
	}
	if err := deliverSweep(p, s, result, o.format); err != nil {
		return err
	}
	if len(lacking) > 0 {
		return fmt.Errorf("%w: %s; once the cause is mended: %s", console.ErrIncomplete, strings.Join(lacking, "; "), resumeCommand)
	}
	return nil
}

// planSweep plans the candidates, without making or opening a model.
func planSweep(ctx context.Context, p *console.Program, o *sweepOptions) (*sweep.Sweep, *sweep.Document, error) {
	axes := &o.spec.Axes
	for _, model := range axes.Models {
		if err := registry.Find(model); err != nil {
			return nil, nil, err
		}
	}
	document := &sweep.Document{Models: axes.Models, Flags: o.flags}
	var quantises registry.Quantizer
	if len(axes.Types) > 0 && len(axes.Models) > 0 {
		source, z, err := registry.SourceOf(ctx, axes.Models[0], o.spec.Imatrix, o.model)
		if err != nil {
			return nil, nil, err
		}
		quantises, document.Source = z, &source
		axes.Types = sweep.Others(&source, axes.Types)
	}
	candidates, err := axes.Candidates()
	if err != nil {
		return nil, nil, err
	}
	document.Take(candidates)
	s := &o.sweep
	if o.spec.Direct {
		s.Unread = "without reasoning there are no texts to read"
	} else if !o.candidateOptions(candidates[0], "").Takes("keep-logprobs") {
		s.Unread = candidates[0].Name + " tells no log-probabilities to compare with"
	}
	s.Options, s.Spec, s.Open = o.run, o.spec, o.open
	s.Resume = false // the document has the state
	s.Out = cmp.Or(o.run.Out, filepath.Join("sweeps", p.Now().Format("20060102-150405")+"-"+output.Folder(candidates[0].Name)))
	if s.Set, err = console.OpenForRun(p, &o.spec.Questions); err != nil {
		return nil, nil, err
	}
	if _, err := o.spec.One(s.Set, "sweep"); err != nil {
		return nil, nil, err
	}
	evals, err := ask.EvalsOf(s.Set, &o.spec.Spec)
	if err != nil {
		return nil, nil, err
	}
	if s.Items, err = evals.Items(); err != nil {
		return nil, nil, err
	}
	if len(axes.Types) > 0 {
		s.Cache = &sweep.Cache{Folder: o.spec.Cache, Quantizer: quantises}
		if s.Cache.Folder == "" {
			user, err := os.UserCacheDir()
			if err != nil {
				user = os.TempDir()
			}
			s.Cache.Folder = filepath.Join(user, "proctor", "models")
		}
		if err := s.Cache.Check(*document.Source, axes.Types); err != nil {
			return nil, nil, err
		}
	}
	return s, document, nil
}

func (o *sweepOptions) open(ctx context.Context, c sweep.Candidate, opening sweep.Opening) (backends.Model, error) {
	options := o.candidateOptions(c, opening.Path)
	earlier := opening.Earlier
	if earlier.Name != "" {
		options.Like = &earlier
	}
	if n := opening.Slots; n > 0 {
		options.Slots, options.Concurrency, earlier.Slots = n, n, n
		options.Given = slices.DeleteFunc(options.Given, func(flag string) bool {
			return flag == "slots" || flag == "concurrency"
		})
	}
	return registry.OpenModel(ctx, options)
}

func watchSweep(p *console.Program, s *sweep.Sweep) *console.Monitor {
	monitor := &console.Monitor{Program: p}
	s.Observer = observer(p, monitor)
	draw := p.Draw()
	s.Working = func(line string) {
		monitor.End() // of the previous candidate
		if draw != nil && !p.Quiet {
			draw(line)
		}
	}
	s.Note = p.Note
	s.Observer.Begin = func(_ string, header *journal.Header, from progress.Counts) {
		monitor.Begin(header, from, "["+s.Place()+"] ")
	}
	return monitor
}

// deliverSweep writes the choice to standard output, and as files into the sweep's folder.
func deliverSweep(p *console.Program, s *sweep.Sweep, c *choice.Choice, format page.Format[*choice.Choice]) error {
	c.Saved = s.Out
	for _, each := range compare.FullChoice {
		if !slices.Contains([]string{"text", "json", "html"}, each.Name) {
			continue
		}
		if err := console.Write(p, filepath.Join(s.Out, "choice"+each.Ext), each, c); err != nil {
			return err
		}
	}
	return format.Write(p.Stdout, c)
}
