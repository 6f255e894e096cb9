package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/ask/form"
	"proctor/runner/ask/shard"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
)

// Options say how a session asks.
type Options struct {
	Out     string              // folder of the run; where empty, [New] names it runs/TIME-MODEL-TASK
	Resume  bool                // go on with the run in Out: ask what has no answer yet; a larger selection extends it
	Again   []string            // items to ask again under a larger cap, of a run that goes on: names of package again
	Shard   *shard.Part         // ask this part of the questions only; nil for all
	Form    form.Form           // in which the model gets its prompts
	Version string              // of the program, for the journals
	Flags   map[string][]string // that begin the run, for the journals
	Context int                 // tokens that a prompt with its answer may have; 0: what the model takes
	Shown   string              // name of the model for people; empty for its own
	Host    func() backends.Host
	Now     func() time.Time

	Observer
}

// Evals are asked one after the other, each of the same selection and with the same settings.
type Evals struct {
	Set       *dataset.Set
	Evals     []prompts.Eval
	Selection dataset.Selection
	Settings  Settings
	Measured  Measured // nil keeps none
}

// EvalsOf are those of a specification: what it asks, and how.
func EvalsOf(set *dataset.Set, s *spec.Spec) (Evals, error) {
	evals, err := s.Evals(set)
	if err != nil {
		return Evals{}, err
	}
	return Evals{Set: set, Evals: evals, Selection: s.Selection(), Settings: SettingsOf(s)}, nil
}

// Items is how many prompts there are.
func (e Evals) Items() (int, error) {
	plans, err := e.plans(&Options{})
	items := 0
	for _, plan := range plans {
		items += len(plan.Items)
	}
	return items, err
}

// An Opener opens the model. earlier is the engine of the run to go on with; its name is empty where there is none.
type Opener func(ctx context.Context, earlier backends.EngineInfo) (backends.Model, error)

// A Session asks one model the tasks of a run, one after the other, each into a journal of its own.
type Session struct {
	Options
	plans []*Plan
	model backends.Model
	info  backends.Info
	load  time.Duration // of the model, until it was ready for the first task
}

// New plans what is asked, opens the model, gives the prompts their form, and has the model size itself to the largest of the plans. It
// refuses a model whose context they do not fit. What is wrong with what is to be asked is told before a model is opened.
func New(ctx context.Context, o Options, asked Evals, open Opener) (*Session, error) {
	s, err := planned(o, asked)
	if err != nil {
		return nil, err
	}
	began := s.Now()
	if s.model, err = open(ctx, s.earlier().Backend); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.load = s.Now().Sub(began)
	return s, nil
}

// Check refuses what New would refuse before a model is opened.
func Check(o Options, asked Evals) error {
	_, err := planned(o, asked)
	return err
}

func planned(o Options, asked Evals) (*Session, error) {
	plans, err := asked.plans(&o)
	if err == nil && !o.Resume {
		err = begins(cmp.Or(o.Out, "runs"), plans)
	}
	return &Session{Options: o, plans: plans}, err
}

// Close closes the model.
func (s *Session) Close() error { return s.model.Close() }

func (e Evals) plans(o *Options) ([]*Plan, error) {
	var plans []*Plan
	for _, eval := range e.Evals {
		plan, err := NewPlan(e.Set, eval, e.Selection, e.Settings)
		if err != nil {
			return nil, err
		}
		plan.measured = e.Measured
		plans = append(plans, plan)
	}
	for i, folder := range folders(o.Out, plans) {
		if o.Shard != nil {
			if err := plans[i].divide(*o.Shard, o.dividedUnder(folder, plans[i])); err != nil {
				return nil, err
			}
		}
		if !o.Resume {
			continue
		}
		if err := plans[i].goOn(folder, o, e.Set, e.Evals[i], e.Selection, e.Settings); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(journal.File(o.Out)); o.Resume && err == nil && len(plans) > 1 {
		return nil, fmt.Errorf("%s holds one task of a run with several: go on with %s, the whole", o.Out, filepath.Dir(o.Out))
	}
	return plans, nil
}

// earlier is how the run to go on with was begun; a zero header where there is none, or none that can be read: going on
// with it will tell what is wrong.
func (s *Session) earlier() journal.Header {
	if !s.Resume {
		return journal.Header{}
	}
	begun, _ := journal.Begun(s.Folders()[0])
	return begun
}

// prepare gives the prompts their form and has the model get ready.
func (s *Session) prepare(ctx context.Context) error {
	if _, can := s.model.(backends.Scorer); !can && s.plans[0].keepsLogprobs {
		return fmt.Errorf("%s: this model gives no log-probabilities: leave the flag out", setting.KeepLogprobs)
	}
	if err := s.converse(ctx); err != nil {
		return err
	}
	work, err := s.workload()
	if err != nil {
		return err
	}
	rough := false
	if s.OnEstimate != nil {
		var line string
		line, rough = s.estimate(ctx, work)
		s.OnEstimate(line)
	}
	var allocation backends.Allocation
	if planner, ok := s.model.(backends.Planner); ok {
		if allocation, err = planner.Plan(ctx, work); err != nil {
			return err
		}
		Tell(s.OnPlan, allocation.Description)
		if rough && allocation.Calibration != "" { // it is known better by now
			line, _ := s.estimate(ctx, work)
			s.OnEstimate(line)
		}
	}
	if s.info, err = s.model.Info(ctx); err != nil {
		return err
	}
	if slower := s.info.Engine.Slower(); slower != "" {
		Tell(s.OnPlan, slower)
	}
	s.Out = s.folder()
	return s.checkFit(allocation.Unfit)
}

// An Outcome is what came of one task.
type Outcome struct {
	Folder string
	Err    error // why the asking stopped early; nil where it did not
}

// Run asks task after task. done gets each one's outcome, however the asking ended. What is missing from one task does not keep the
// later ones from being asked; an error from done does, as do a journal that was deleted under the run, a [*journal.LostError], and
// the end of ctx.
func (s *Session) Run(ctx context.Context, done func(Outcome) error) error {
	folders := s.Folders()
	for i, plan := range s.plans {
		if err := s.extend(plan, folders[i]); err != nil {
			return err
		}
		if plan.raises { // its journal gets the larger cap
			if err := journal.Raise(folders[i], s.header(plan)); err != nil {
				return err
			}
		}
	}
	for i, plan := range s.plans {
		asking, err := s.ask(ctx, plan, folders[i])
		if err != nil {
			return err
		}
		if lost := (*journal.LostError)(nil); errors.As(asking, &lost) {
			return asking
		}
		if err := done(Outcome{folders[i], asking}); err != nil || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// ask puts a plan to the model. stopped is why that stopped early or may not last, err what keeps it from beginning.
func (s *Session) ask(ctx context.Context, plan *Plan, folder string) (stopped, err error) {
	header := s.header(plan)
	writer, resume, err := s.open(folder, header)
	if err != nil {
		return nil, err
	}
	defer writer.Close()
	logprobs, err := s.keep(header.Logprobs, writer.Path(), resume)
	if err != nil {
		return nil, err
	}
	defer logprobs.Close()
	if text := setBack(time.Now(), resume); text != "" {
		Tell(s.Warn, text)
	}
	if err := s.again(plan, folder, resume); err != nil {
		return nil, err
	}
	if err := s.begin(plan, folder, &header, resume); err != nil {
		return nil, err
	}
	a := plan.asking(s.model, writer, resume, s.Observer)
	a.logprobs = logprobs
	stopped = a.sequentially(ctx)
	return cmp.Or(stopped, errors.Join(logprobs.Close(), writer.Close())), nil
}

// header is that of a plan's journal.
func (s *Session) header(plan *Plan) journal.Header {
	host := s.Host()
	if len(host.GPUs) == 0 && len(s.info.Engine.Devices) > 0 {
		host.GPUs = s.info.Engine.Devices // an engine that was loaded sees them, maybe in another process
	}
	header := plan.Header(s.info, host, s.Version, s.Now())
	header.Load, header.Flags = s.load, s.Flags
	if scorer, can := s.model.(backends.Scorer); can && plan.keepsLogprobs {
		header.Logprobs = &journal.Logprobs{Top: backends.TopLogprobs, VocabularySHA256: scorer.VocabularySHA256()}
	}
	return header
}

// open begins a plan's journal, or goes on with it where that is asked for.
func (s *Session) open(folder string, header journal.Header) (writer *journal.Writer, resume *journal.Resume, err error) {
	begun := s.Resume
	if begun {
		writer, resume, err = journal.OpenAppend(folder, header)
		begun = len(s.plans) == 1 || !errors.Is(err, fs.ErrNotExist) // of several tasks, the later ones may not have begun yet
	}
	if !begun {
		resume = &journal.Resume{}
		writer, err = journal.Create(folder, header)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, warning := range append(resume.Warnings, writer.Unlocked()) {
		if warning != "" {
			Tell(s.Warn, warning)
		}
	}
	return writer, resume, nil
}
