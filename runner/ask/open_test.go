package ask_test

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
)

// slow has three tokens of every answer when it is interrupted, after the first few items; whole, it goes on where it can.
type slow struct {
	*scripted.Model
	stop  func()         // interrupts; nil: it answers everything
	goes  bool           // it goes on with what was begun
	ids   []string       // ids in the order
	drawn map[string]int // tokens that requests gave
}

func (s *slow) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	for r := range requests {
		s.ids = append(s.ids, r.ID)
		if len(r.Drawn) > 0 {
			s.drawn[r.ID] = len(r.Drawn)
		}
		c := backends.Completion{ID: r.ID, Text: " The answer is (A).", Finish: backends.FinishStop, Usage: backends.Usage{OutputTokens: 9}}
		c.Timing.Decode = 9
		if s.goes {
			c.Resumed = len(r.Drawn)
		}
		if s.stop != nil {
			c.Finish, c.Text, c.Tokens = backends.FinishOpen, "", append(slices.Clip(r.Drawn), 7, 8, 9)
			c.Usage.OutputTokens = len(c.Tokens)
		}
		if err := done(c); err != nil {
			return err
		}
		if s.stop != nil && len(s.ids) == 4 {
			s.stop()
			return ctx.Err()
		}
	}
	return nil
}

// interruptedBy has a model asked until it interrupts the run.
func interruptedBy(t *testing.T, plan *ask.Plan, model *slow, run string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	model.stop = stop
	_, err := asking(ctx, t, plan, model, run, ask.Observer{})
	assert.Assert(t, errors.Is(err, context.Canceled), "error %v", err)
}

func TestAnInterruptedAnswerResumesAndLaterStandsBack(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 14})
	run := filepath.Join(t.TempDir(), "run")
	first := &slow{Model: &scripted.Model{}, goes: true, drawn: map[string]int{}}
	interruptedBy(t, plan, first, run)
	second := &slow{Model: &scripted.Model{}, goes: true, drawn: map[string]int{}}
	interruptedBy(t, plan, second, run)
	assert.Check(t, slices.Equal(first.ids, second.ids) && len(second.drawn) == 4 && second.drawn[first.ids[0]] == 3,
		"asked %v, then %v, with %v", first.ids, second.ids, second.drawn)

	third := &slow{Model: &scripted.Model{}, goes: true, drawn: map[string]int{}}
	resumes(t, plan, third, run, nil)
	assert.Check(t, len(third.ids) == 14 && slices.Equal(third.ids[10:], first.ids) && third.drawn[first.ids[0]] == 6,
		"asked %v at last, with %v: those that were interrupted twice should be the last", third.ids, third.drawn)
	for _, r := range load(t, run).Records {
		interrupted, drawn, decode := 0, 0, 9
		if slices.Contains(first.ids, r.ID) {
			interrupted, drawn, decode = 2, 6, 27
		}
		assert.Check(t, r.Interrupted == interrupted && r.Resumed == drawn && int(r.Timing.Decode) == decode && r.Attempt == 1, "%+v", r)
	}
}

func TestAnAnswerWithoutKeptTokensIsAskedAgain(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 14})
	run := stopped(t, plan, &scripted.Model{}, 5)
	again := &slow{Model: &scripted.Model{}, drawn: map[string]int{}}
	resume := resumes(t, plan, again, run, nil)
	assert.Check(t, len(again.ids) == 9 && len(again.drawn) == 0, "asked for %v, begun %v", again.ids, again.drawn)
	for id, p := range resume.Open {
		assert.Check(t, len(p.Tokens) == 0 && p.Ended().After(p.Began), "%s: %d tokens in %s", id, len(p.Tokens), p.Total)
	}
}
