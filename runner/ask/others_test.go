package ask_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/mark/metrics"
)

// crowded is a model beside which others begin to work.
type crowded struct {
	*scripted.Model
	calls int
}

func (c *crowded) Others() backends.Load {
	c.calls++
	return backends.Load{Share: []float64{0.9, 0, 0.5, 0.75}[min(c.calls-1, 3)], CPUs: 2, FewestThreads: c.calls, MostThreads: 9}
}

func (c *crowded) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	return c.Model.Generate(ctx, requests, func(completion backends.Completion) error {
		time.Sleep(350 * time.Millisecond)
		return done(completion)
	})
}

func TestTheJournalTellsTheLoadOfOthersAndItsChanges(t *testing.T) {
	synctest.Test(t, othersAndTheirChanges)
}

func othersAndTheirChanges(t *testing.T) {
	plan := planWith(t, sample(t), task.All[0], dataset.Selection{Limit: 8}, ask.Settings{})
	run := asksAll(t, plan, &crowded{Model: &scripted.Model{}}, nil)
	var shares []float64
	for _, r := range load(t, run).Records {
		if r.Others != nil {
			shares = append(shares, r.Others.Share)
			assert.Check(t, is.Equal(r.Others.Over, 3*350*time.Millisecond))
		}
	}
	assert.Check(t, is.DeepEqual(shares, []float64{0, 0.5}), "what was before the run began, 0.9, is not in it")
	s, err := metrics.Open(run, metrics.Options{})
	assert.NilError(t, err)
	o, warnings := s.Speed.Others, s.About(metrics.AboutSpeed)
	assert.Check(t, o != nil && o.Least.Or(9) == 0 && o.Most.Or(9) >= 0.5 && o.Busy() && len(warnings) > 0, "%+v, %q", o, warnings)
	asksAll(t, plan, &scripted.Model{}, nil) // a model that does not compute here
}
