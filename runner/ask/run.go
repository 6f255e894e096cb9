package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/journal/logprobs"
	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
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
func (s *Session) Run(ctx context.Context, done func(Outcome) error) (err error) {
	var runs []*taskRun
	defer func() {
		for _, p := range runs {
			if p.to != nil {
				p.to.Close()
			}
		}
	}()
	// extended and raised journals get their headers before the first record is written
	for i, folder := range s.Folders() {
		p := &taskRun{Plan: s.plans[i], folder: folder, header: s.header(s.plans[i]), held: &journal.Held{}}
		runs = append(runs, p)
		if p.was == nil {
			continue
		}
		if p.to, err = p.was.Commit(&p.header); err != nil {
			return err
		}
		p.held = &p.was.Held
		if p.extends > 0 {
			Notify(s.OnPlan, fmt.Sprintf("extends the run in %s from %s to %s of the same draw, which begins with those", folder,
				format.Count(p.extends), format.Several(p.header.Selection.Questions, "question")))
		}
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

	var kept *logprobs.Writer
	if p.header.Logprobs != nil { // items whose part of the file is lost are asked again
		run := p.to.Path()
		var lost []string
		if kept, lost, err = logprobs.Continue(run, *p.header.Logprobs, p.held.Logprobs); err != nil {
			return nil, err
		}
		for _, id := range lost {
			delete(p.held.Done, id)
		}
		if len(lost) > 0 {
			Notify(s.Warn, fmt.Sprintf("%s lacks the log-probabilities of %s, which are asked again", logprobs.Path(run),
				format.Several(len(lost), "item")))
		}
	}
	defer kept.Close()

	if p.was != nil && len(p.was.Header.History.Caps()) > 1 && len(p.held.Done) > 0 {
		due, err := p.due()
		if err != nil {
			return nil, err
		}
		for _, it := range due {
			delete(p.held.Done, it.ID)
		}
		if len(due) > 0 {
			Notify(s.OnPlan, fmt.Sprintf("asks %s again (cut by the cap), under a cap of %s", format.Several(len(due), "item"),
				format.Several(p.header.Sampling.MaxTokens, "token")))
		}
	}

	if s.Begin != nil { // with what the journal has so far, marked by the run's own rules
		from := progress.Counts{Items: len(p.Items)}
		if len(p.held.Done) > 0 {
			marked, err := results.OpenUnder(journal.File(p.folder), "")
			if err != nil {
				return nil, err
			}
			for _, item := range marked.Items {
				if p.held.Done[item.ID] {
					from.Add(item.Marks[0], item.Failed())
				}
			}
		}
		s.Begin(p.folder, &p.header, from)
	}

	a := p.execute(s.model, p.to, p.held, s.Observer)
	a.logprobs = kept
	stopped = a.sequentially(ctx)
	return cmp.Or(stopped, errors.Join(kept.Close(), p.to.Close())), nil
}
