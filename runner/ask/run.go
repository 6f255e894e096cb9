package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"proctor/runner/journal"
	"proctor/runner/journal/logprobs"
	"proctor/runner/mark/format"
)

// An Outcome is the result of one task.
type Outcome struct {
	Folder string
	Err    error // why the task stopped early; nil where it did not
}

// A taskRun is a task's plan with its journal, open for writing.
type taskRun struct {
	*Plan
	folder string
	header journal.Header
	to     *journal.Writer // nil for a task that has not started
	held   *journal.Held
}

// Run asks task after task. done gets each outcome, however the task ended. A failed task does not keep later ones from running, but
// an error from done, a journal that was deleted during the run (a [*journal.LostError]) and the end of ctx do; the cause of ctx is
// returned where tasks are left.
func (s *Session) Run(ctx context.Context, done func(Outcome) error) error {
	runs, err := s.openRuns()
	defer func() {
		for _, p := range runs {
			if p.to != nil {
				p.to.Close()
			}
		}
	}()
	if err != nil {
		return err
	}
	for i, p := range runs {
		stopped, err := s.ask(ctx, p)
		if err != nil {
			return err
		}
		if lost := (*journal.LostError)(nil); errors.As(stopped, &lost) {
			return stopped
		}
		if err := done(Outcome{p.folder, stopped}); err != nil {
			return err
		}
		if ctx.Err() != nil && i+1 < len(runs) {
			return context.Cause(ctx)
		}
	}
	return nil
}

// openRuns opens the tasks' journals. Extended and raised ones get their new headers, all of them before the first record is written.
func (s *Session) openRuns() (all []*taskRun, err error) {
	for i, folder := range s.Folders() {
		p := &taskRun{Plan: s.plans[i], folder: folder, header: s.header(s.plans[i]), held: &journal.Held{}}
		all = append(all, p)
		if p.was == nil {
			continue
		}
		if p.to, err = p.was.Commit(&p.header); err != nil {
			return all, err
		}
		p.held = &p.was.Held
		if p.extends > 0 {
			Notify(s.OnPlan, fmt.Sprintf("extends the run in %s from %s to %s of the same draw, which begins with those", folder,
				format.Count(p.extends), format.Several(p.header.Selection.Questions, "question")))
		}
	}
	return all, nil
}

// ask runs a plan. stopped is why it stopped early, or a doubt that it will last; err is why it could not start.
func (s *Session) ask(ctx context.Context, p *taskRun) (stopped, err error) {
	if p.to == nil {
		if p.to, err = journal.Create(p.folder, p.header); err != nil {
			return nil, err
		}
		p.held.Warnings = []string{p.to.Unlocked()}
	}
	for _, warning := range append(p.held.Warnings, setBack(time.Now(), p.held)) {
		if warning != "" {
			Notify(s.Warn, warning)
		}
	}
	kept, err := s.keep(p)
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	if err := s.again(p); err != nil {
		return nil, err
	}
	if err := s.begin(p); err != nil {
		return nil, err
	}
	a := p.execute(s.model, p.to, p.held, s.Observer)
	a.logprobs = kept
	stopped = a.sequentially(ctx)
	return cmp.Or(stopped, errors.Join(kept.Close(), p.to.Close())), nil
}

// again takes the items to ask again out of those that are done, and counts them.
func (s *Session) again(p *taskRun) error {
	if len(p.header.AskedAgain) == 0 || len(p.held.Done) == 0 {
		return nil
	}
	due, err := p.due()
	if err != nil {
		return err
	}
	for _, it := range due {
		delete(p.held.Done, it.ID)
		p.held.Failed[it.ID] = max(p.held.Failed[it.ID], it.Attempt)
	}
	if s.Again || len(due) > 0 {
		Notify(s.OnPlan, fmt.Sprintf("asks %s again (cut by the cap), under a cap of %s", format.Several(len(due), "item"),
			format.Several(p.header.Sampling.MaxTokens, "token")))
	}
	return nil
}

// keep opens the run's file of log-probabilities; nil where it keeps none. Items whose part of the file is lost are asked again.
func (s *Session) keep(p *taskRun) (*logprobs.Writer, error) {
	if p.header.Logprobs == nil {
		return nil, nil
	}
	run := p.to.Path()
	writer, lost, err := logprobs.Continue(run, *p.header.Logprobs, p.held.Parts)
	if err != nil {
		return nil, err
	}
	for _, id := range lost {
		delete(p.held.Done, id)
	}
	if len(lost) > 0 {
		Notify(s.Warn, fmt.Sprintf("%s lacks the log-probabilities of %s, which are asked again", logprobs.Path(run),
			format.Several(len(lost), "item")))
	}
	return writer, nil
}
