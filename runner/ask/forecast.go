package ask

import (
	"cmp"
	"context"
	"slices"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/logprobs"
	"proctor/runner/mark/forecast"
)

// Foresee returns what New and Run would do, without asking the model anything. It refuses whatever they would refuse.
func Foresee(ctx context.Context, c *Cell) (*forecast.Run, error) {
	s, err := newSession(c)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if _, err := s.open(ctx, c.Open); err != nil {
		return nil, err
	}
	if err := s.writePrompts(ctx); err != nil {
		return nil, err
	}
	f, err := s.forecast(ctx, s.workload())
	if err != nil {
		return nil, err
	}
	if s.info, err = s.model.Info(ctx); err != nil {
		return nil, err
	}
	f.Model, s.info.Engine.Context = s.info.Model, f.Context
	for i, folder := range s.Folders() {
		t, p := &f.Tasks[i], s.plans[i]
		t.Folder = folder
		if p.tokens == nil {
			continue
		}
		lengths, err := p.tokens.Lengths()
		if err != nil {
			return nil, err
		}
		added, err := p.tokens.New(p.order())
		if err != nil {
			return nil, err
		}
		for i, n := range lengths {
			t.Prompts, t.Fresh = t.Prompts+n, t.Fresh+added[i]
		}
	}
	if err := s.checkJournals(); err != nil {
		return nil, err
	}
	return f, s.checkFit(f.Unfit)
}

// watched is the shortest time for which other programs are measured before an estimate is printed.
const watched = 200 * time.Millisecond

// forecast counts the work that all plans still have, and gets the model's forecast of it. Other programs are measured
// meanwhile.
func (s *Session) forecast(ctx context.Context, work backends.Workload) (*forecast.Run, error) {
	f := &forecast.Run{Sampled: s.drawn}
	for _, p := range s.plans {
		t := forecast.Task{Name: p.Task.String(), Header: &p.header, Questions: p.asks(), Items: len(p.Items),
			Reading: p.unread}
		if p.spec.KeepLogprobs {
			t.KeptBytes = cmp.Or(p.length.Tokens, backends.AssumedOutput) * logprobs.BytesAToken
		}
		decided := p.was != nil && slices.ContainsFunc(p.was.Interims, func(i journal.Interim) bool { return i.Stop != "" })
		if decided { // nothing is asked any more
			t.Reading = 0
		}
		for i := range p.Items {
			id := p.Items[i].ID
			if decided || p.earlier.Done[id] {
				continue
			}
			length, started := p.earlier.Rest[id]
			if !started {
				length = p.length
			}
			t.Left, t.Reading = t.Left+1, t.Reading+p.earlier.Started[id]
			t.Least, t.Expected, t.Most = t.Least+length.Low, t.Expected+length.Tokens, t.Most+length.High
		}
		f.Tasks = append(f.Tasks, t)
	}
	f.Source = "this backend gives no estimate before the first answers"
	forecaster, can := s.model.(backends.Forecaster)
	if !can {
		return f, nil
	}
	backends.LoadOf(s.model)
	began := time.Now()
	var err error
	if f.Forecast, err = forecaster.Forecast(ctx, work); err != nil {
		return f, err
	}
	if _, here := s.model.(backends.LoadReporter); here {
		time.Sleep(watched - time.Since(began))
		f.Others = backends.LoadOf(s.model)
	}
	return f, nil
}
