package ask_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"gotest.tools/v3/assert"

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
	plan := planWith(t, sample(t), task.All[0], dataset.Selection{Limit: 8}, ask.Settings{})
	run := asksAll(t, plan, &crowded{Model: &scripted.Model{}}, nil)
	var shares []float64
	for _, r := range load(t, run).Records {
		if r.Others != nil {
			shares = append(shares, r.Others.Share)
			s := r.Others.Over
			assert.Check(t, s >= time.Second && s <= 3*time.Second, "%s", s)
		}
	}
	if len(shares) < 2 || shares[0] != 0 || shares[1] != 0.5 { // what was before the run began, 0.9, is not in it
		t.Errorf("shares %v", shares)
	}
	s, err := metrics.Open(run, metrics.Options{})
	assert.NilError(t, err)
	if o := s.Speed.Others; o == nil || o.Least.Or(9) != 0 || o.Most.Or(9) < 0.5 || !o.Busy() || len(s.About(metrics.AboutSpeed)) == 0 {
		t.Errorf("%+v, warnings %q", o, s.About(metrics.AboutSpeed))
	}
	asksAll(t, plan, &scripted.Model{}, nil) // a model that does not compute here
}
