package isolated

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/rpc"
	"slices"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
)

// mostKills is how many processes a request may kill. The second time it runs alone, so that it is certainly the one.
const mostKills = 2

// mostInARow is how many requests may be given up one after the other: an engine that every request kills is broken.
const mostInARow = 3

// Generate implements [backends.Model]. Its error is a [*Death] where the engine dies of every request.
func (m *Model) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	pull, stop := iter.Pull(requests)
	defer stop()
	g := &generation{ctx: ctx, pull: pull, done: done, flights: map[string]*flight{}}
	for {
		err := m.generate(ctx, g)
		var death *Death
		switch {
		case g.failed != nil:
			return g.failed
		case errors.As(err, &death):
			if err := m.after(g, death); err != nil {
				return err
			}
		case err != nil:
			return err
		case g.end && len(g.suspects) == 0:
			return nil
		}
	}
}

// generate has a process answer a single suspect, or without suspects all requests that are left.
func (m *Model) generate(ctx context.Context, g *generation) error {
	if err := m.again(ctx); err != nil {
		return err
	}
	g.alone, g.given = len(g.suspects) > 0, false
	parent := m.process.parent
	parent.serve(g)
	defer parent.serve(nil)
	call := m.process.calls.Go(engineService+".Generate", None{}, &None{}, make(chan *rpc.Call, 1))
	return m.await(ctx, call, generating, parent.inLoop)
}

// serve sets the generation that answers the engine's calls; nil for none.
func (s *parent) serve(g *generation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.generation = g
}

// after finds the requests to repeat after a death, and gives up a request that has killed too often.
func (m *Model) after(g *generation, death *Death) error {
	inFlight := g.landed()
	text := death.Error()
	if g.idle++; len(inFlight) == 0 && g.idle >= mostInARow { // it dies of itself
		return death
	}
	var again []*flight
	for _, f := range inFlight {
		if f.kills++; f.kills < mostKills {
			again = append(again, f)
			continue
		}
		g.inARow++
		err := g.done(backends.Completion{
			ID: f.request.ID, Finish: backends.FinishError, Cause: death.Cause, Tries: f.kills,
			Error: fmt.Sprintf("the engine's process died of it twice: %s", death.By),
		})
		if err != nil {
			return err
		}
		text += "; " + f.request.ID + " is given up"
	}
	g.suspects = append(again, g.suspects...)
	if g.inARow >= mostInARow {
		return death
	}
	if len(again) > 0 {
		text += fmt.Sprintf("; %s in flight: retried, one at a time", english.Plural(len(again), "item was", "items were"))
	}
	m.warn(text)
	return nil
}

// generation is one call of Generate, across all processes that die in it. Its functions are called in Generate's goroutine.
type generation struct {
	ctx    context.Context
	pull   func() (backends.Request, bool)
	done   func(backends.Completion) error
	failed error // of done
	end    bool  // there are no more requests

	suspects []*flight // in flight at a death, to be repeated alone
	alone    bool      // a suspect is in flight
	given    bool      // and the process has it
	inARow   int       // requests that were given up since the last answer
	idle     int       // deaths since then

	flights map[string]*flight
	taken   int
}

// flight is a request that a process has taken.
type flight struct {
	request backends.Request
	kills   int
	order   int
}

// next is the next request for the process.
func (g *generation) next() Next {
	f := g.take()
	if f == nil {
		return Next{End: true}
	}
	g.taken++
	f.order = g.taken
	g.flights[f.request.ID] = f
	bare := f.request
	bare.Partings, bare.Messages, bare.Think = nil, nil, nil
	return Next{Request: bare, Partings: f.request.Partings != nil}
}

func (g *generation) take() *flight {
	switch {
	case g.failed != nil || g.ctx.Err() != nil || g.alone && g.given:
		return nil
	case g.alone:
		f := g.suspects[0]
		g.suspects, g.given = g.suspects[1:], true
		return f
	}
	request, ok := g.pull()
	if !ok {
		g.end = true
		return nil
	}
	return &flight{request: request}
}

// completed hands a completion over.
func (g *generation) completed(c backends.Completion) error {
	if g.failed != nil {
		return g.failed
	}
	if c.Finish == backends.FinishOpen { // when ctx ends, too
		g.failed = g.done(c)
		return g.failed
	}
	if err := g.ctx.Err(); err != nil {
		return err
	}
	f := g.flights[c.ID]
	delete(g.flights, c.ID)
	if f == nil {
		return fmt.Errorf("%q was not requested", c.ID)
	}
	if f.kills > 0 {
		c.Tries = f.kills + 1
	}
	g.inARow, g.idle = 0, 0
	g.failed = g.done(c)
	return g.failed
}

// landed are the requests that were in flight, in the order in which they were taken.
func (g *generation) landed() []*flight {
	all := make([]*flight, 0, len(g.flights))
	for _, f := range g.flights {
		all = append(all, f)
	}
	clear(g.flights)
	slices.SortFunc(all, func(a, b *flight) int { return a.order - b.order })
	return all
}
