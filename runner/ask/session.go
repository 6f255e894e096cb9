package ask

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/ask/form"
	"proctor/runner/ask/progress"
	"proctor/runner/ask/shard"
	"proctor/runner/journal"
	"proctor/runner/journal/output"
	"proctor/runner/mark/forecast"
	"proctor/runner/mark/results"
)

// Options configure a session.
type Options struct {
	Out     string              // folder of the run, or its journal
	Resume  bool                // resume the run in Out: ask what has no answer yet; a larger selection extends it
	Again   bool                // ask what the cap of a resumed run cut again, under a larger one
	Shard   *shard.Part         // ask this part of the questions only; nil for all
	Form    form.Form           // of the prompts
	Version string              // of the program, for the journals
	Flags   map[string][]string // that begin the run, for the journals
	Host    func() backends.Host
	Now     func() time.Time

	Observer
}

// An Opener opens the model. earlier is the engine of the run that is resumed; its name is empty for a new run.
type Opener func(ctx context.Context, earlier backends.EngineInfo) (backends.Model, error)

// A Session asks one model the tasks of a run, one after the other, each into a journal of its own.
type Session struct {
	Options
	tasks []*Questions
	plans []*Plan // of them, once the model is open
	model backends.Model
	info  backends.Info
	drawn string        // a line about the sampling, or empty
	load  time.Duration // of the model, until it was ready for the first task
}

// New plans the tasks, opens the model, writes the prompts in their form, and sizes the model to the largest plan. It refuses a model
// whose context is too small, and journals that can't be continued. Mistakes in the options are reported before a model is opened, and
// existing files are not changed.
func New(ctx context.Context, c *Cell) (*Session, error) {
	s, err := newSession(c)
	if err != nil {
		return nil, err
	}
	began := s.Now()
	opened, err := Open(ctx, func(ctx context.Context) (backends.Model, error) { return s.open(ctx, c.Open) },
		func(backends.Model) (backends.Workload, error) { return s.prepare(ctx) })
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.info = opened.Info
	for _, line := range []string{opened.Allocation.Description, s.info.Engine.Slower()} {
		if line != "" {
			Notify(s.OnPlan, line)
		}
	}
	if err := s.checkFit(opened.Allocation.Unfit); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.checkJournals(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.load = s.Now().Sub(began)
	return s, nil
}

// newSession draws the questions, and finds which of them a resumed run has answered. It holds that run's journals until Close.
func newSession(c *Cell) (*Session, error) {
	s := &Session{Options: c.Options}
	for _, eval := range c.Evals {
		q, err := NewQuestions(c.Set, eval, c.Selection, c.Spec)
		if err != nil {
			return nil, err
		}
		s.tasks = append(s.tasks, q)
	}
	if err := s.resume(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// resume reads the journals of the run that is resumed, or checks that a new one can start.
func (s *Session) resume() error {
	if !s.Resume {
		if journal.File(s.Out) == s.Out && len(s.tasks) > 1 {
			return fmt.Errorf("%s: a journal is of one task: name a folder for several", setting.Out.As(s.Out))
		}
		if err := vacant(s.Out); err != nil {
			return err
		}
	} else if _, err := os.Stat(journal.File(s.Out)); err == nil && len(s.tasks) > 1 {
		return fmt.Errorf("%s holds one task of a run with several: resume the whole run, %s", s.Out, filepath.Dir(s.Out))
	}
	var refused error
	asked, due, raised := 0, 0, false // of the tasks that are asked again
	for i, folder := range s.Folders() {
		q := &s.tasks[i]
		err := s.resumeTask(q, folder, s.Again)
		if refusal := errNotAgain(""); errors.As(err, &refusal) { // others may be
			refused, err = err, s.resumeTask(q, folder, false)
		} else if was := (*q).was; err == nil && s.Again && was != nil {
			var items []*results.Item
			items, err = (*q).due()
			asked, due = asked+1, due+len(items)
			raised = raised || (*q).header.History.Last().MaxTokens > was.Header.History.Last().MaxTokens
		}
		if err != nil {
			return err
		}
	}
	if raised && due == 0 {
		return fmt.Errorf("%s: the cap cut nothing in %s, so a larger one changes nothing", setting.Again, s.Out)
	}
	if asked == 0 {
		return refused
	}
	return nil
}

// resumeTask continues a task's journal, if it has one, and reduces the questions to the session's shard.
func (s *Session) resumeTask(q **Questions, folder string, again bool) (err error) {
	was := (*q).was
	if s.Resume && was == nil {
		if was, err = journal.Continue(folder); errors.Is(err, fs.ErrNotExist) && len(s.tasks) > 1 {
			was = nil // a later task may not have started
		} else if err != nil {
			return err
		}
	}
	if was != nil {
		(*q).was = was // the session closes it
		next, err := (*q).Resumed(was, folder, strings.Join(s.Flags["limit"], ""), again)
		if err != nil {
			return err
		}
		*q = next
	}
	if s.Shard != nil {
		next, err := (*q).Shard(*s.Shard)
		if err != nil {
			return err
		}
		*q = next
	}
	return nil
}

// open opens the model, in its scoring mode where it is a server and a task is direct.
func (s *Session) open(ctx context.Context, open Opener) (_ backends.Model, err error) {
	if s.model, err = open(ctx, s.earlier().Backend); err != nil {
		return nil, err
	}
	readable, may := s.model.(backends.Scorable)
	if !may || !slices.ContainsFunc(s.tasks, func(q *Questions) bool { return q.Task.Direct }) {
		return s.model, nil
	}
	scorer, err := readable.Scoring(ctx)
	if err == nil {
		s.model = scorer
	}
	return s.model, err
}

// Folders are where the tasks keep their journals and reports: one task in Out itself, several in folders below it.
func (s *Session) Folders() []string {
	if len(s.tasks) == 1 {
		return []string{s.Out}
	}
	var all []string
	for _, q := range s.tasks {
		all = append(all, q.Task.String())
	}
	for i, name := range output.Folders(all, '-') {
		all[i] = filepath.Join(s.Out, name)
	}
	return all
}

// Close closes the model and releases the journals.
func (s *Session) Close() error {
	var all []error
	for _, q := range s.tasks {
		all = append(all, q.was.Close())
	}
	if s.model != nil {
		all = append(all, s.model.Close())
	}
	return errors.Join(all...)
}

// earlier is the header of the run that is resumed; a zero header for a new run.
func (s *Session) earlier() journal.Header {
	for _, q := range s.tasks {
		if q.was != nil {
			return q.was.Header
		}
	}
	return journal.Header{}
}

// writePrompts writes the prompts in their form, and counts them. Prompts that show a date show that of the run's
// start.
func (s *Session) writePrompts(ctx context.Context) error {
	wanted := s.Form
	if wanted.Now = s.earlier().Dated(); wanted.Now.IsZero() {
		wanted.Now = s.Now().UTC()
	}
	dialogue, err := wanted.Dialogue(ctx, s.model)
	if err == nil && dialogue != nil && s.Shard != nil {
		err = form.CheckUndated(*dialogue)
	}
	if err != nil {
		return err
	}
	if s.drawn, err = s.draw(); err != nil {
		return err
	}
	if s.drawn != "" {
		Notify(s.OnPlan, s.drawn)
	}
	s.plans = nil
	for _, q := range s.tasks {
		prompts, err := q.Prompts(ctx, s.model, Wording{dialogue, wanted, s.Observer})
		if err != nil {
			return err
		}
		plan, err := prompts.Measure(s.model)
		if err != nil {
			return err
		}
		s.plans = append(s.plans, plan)
	}
	if templated, can := s.model.(backends.Templated); can && dialogue == nil && templated.ChatTemplate().Text != "" {
		Notify(s.OnPlan, "raw prompts, as in the benchmark; "+setting.Prompt.As(form.Chat)+" uses the model's chat template")
	}
	return nil
}

// prepare writes the prompts for the open model, and returns the work that they make.
func (s *Session) prepare(ctx context.Context) (work backends.Workload, err error) {
	if _, can := s.model.(backends.Scorer); !can && s.tasks[0].spec.KeepLogprobs {
		return work, fmt.Errorf("%s: this model gives no log-probabilities: leave the flag out", setting.KeepLogprobs)
	}
	for _, q := range s.tasks {
		if q.stops != nil && q.stops.Invalid != "" {
			Notify(s.Warn, setting.UntilDecided.As(q.stops.ForHeader.Run)+": nothing will be decided. "+q.stops.Invalid)
		}
	}
	if err := s.writePrompts(ctx); err != nil {
		return work, err
	}
	work = s.workload()
	if s.OnEstimate != nil {
		if f, err := s.forecast(ctx, work); err == nil { // planning reports the error
			s.OnEstimate(f)
		}
	}
	return work, nil
}

// workload is the largest of the plans' workloads.
func (s *Session) workload() (work backends.Workload) {
	for _, plan := range s.plans {
		w := plan.Workload()
		if w.Requests > work.Requests {
			work.Requests, work.UniqueTokens = w.Requests, w.UniqueTokens
			work.OutputTokens, work.OutputSource = w.OutputTokens, w.OutputSource
		}
		work.PromptTokens = max(work.PromptTokens, w.PromptTokens)
		if len(w.Longest) > len(work.Longest) {
			work.Longest = w.Longest
		}
		work.MaxTokens = max(work.MaxTokens, w.MaxTokens)
		work.Logprobs = max(work.Logprobs, w.Logprobs)
		work.Sampling = w.Sampling // one for all
	}
	return work
}

// checkFit refuses a context that no item fits, or that a larger share of them than may does not, and warns where some
// do not.
func (s *Session) checkFit(mayUnfit float64) error {
	context := s.info.Engine.Context
	if context == 0 {
		return nil
	}
	for _, plan := range s.plans {
		unfit, err := plan.Unfit(context)
		if err != nil {
			return err
		}
		if unfit == 0 {
			continue
		}
		w := plan.Workload()
		what := fmt.Sprintf("%s: %d of %d prompts do not fit: %v", plan.Task, unfit, len(plan.Items), w.Fits(context))
		share := float64(unfit) / float64(len(plan.Items))
		if share == 1 || mayUnfit > 0 && share > mayUnfit {
			raise := "raise " + setting.Context.String()
			if s.info.Engine.FixedContext() {
				raise = fmt.Sprintf("give each of the server's slots %d (llama-server -c %d)", w.Tokens(),
					w.Tokens()*max(1, s.info.Engine.Slots))
			}
			return fmt.Errorf("%s: lower %s or %s, %s, or use a model with a longer context", what, setting.MaxTokens,
				setting.Shots, raise)
		}
		Notify(s.Warn, fmt.Sprintf("%s: they become HARNESS_ERROR, CTX_TRUNCATED; %s shows them fewer examples", what, setting.Shots))
	}
	return nil
}

// header is the header of a plan's journal.
func (s *Session) header(plan *Plan) journal.Header {
	host := s.Host()
	if len(host.GPUs) == 0 && len(s.info.Engine.Devices) > 0 {
		host.GPUs = s.info.Engine.Devices // an engine that was loaded sees them, maybe in another process
	}
	header := plan.Header(s.info, host, s.Version, s.Now())
	header.History[0].Load, header.Flags = s.load, s.Flags
	if scorer, can := s.model.(backends.Scorer); can && plan.spec.KeepLogprobs {
		header.Logprobs = &journal.Logprobs{Top: backends.TopLogprobs, VocabularySHA256: scorer.VocabularySHA256()}
	}
	return header
}

// Headers are those of the tasks' journals.
func (s *Session) Headers() (all []journal.Header) {
	for _, plan := range s.plans {
		all = append(all, s.header(plan))
	}
	return all
}

// checkJournals says why the run's journals can't be continued, and warns where a reference was asked otherwise.
func (s *Session) checkJournals() error {
	for _, plan := range s.plans {
		if plan.stops != nil {
			header := plan.Header(s.info, backends.Host{}, "", time.Time{})
			if differs := plan.stops.Otherwise(&header); differs != "" {
				Notify(s.Warn, differs)
			}
		}
		if plan.was == nil {
			continue
		}
		header := s.header(plan)
		if err := plan.was.Refuses(&header); err != nil {
			return err
		}
	}
	return nil
}

// An Observer is notified of a session's progress. Each of its functions may be nil.
type Observer struct {
	OnEstimate func(*forecast.Run)    // before the model sets memory aside
	OnPlan     func(line string)      // the engine's plan
	Warn       func(text string)      // anything that may affect the result
	Interim    func(*journal.Interim) // after it was written

	// Begin is called when a task starts in its folder, with what earlier sessions have; Item with each record after it
	// was written. Open is called when the model takes an item, and later with the number of tokens of its answer, where
	// that is known.
	Begin func(folder string, header *journal.Header, from progress.Counts)
	Item  func(*journal.Record)
	Open  func(id string, tokens int)
}

// Notify calls an observer's function, unless it is nil.
func Notify[T any](observe func(T), what T) {
	if observe != nil {
		observe(what)
	}
}
