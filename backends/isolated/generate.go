package isolated

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/child"
)

// mostKills is how many processes a request may kill. The second time it runs alone, so that it is certainly the one.
const mostKills = 2

// mostInARow is how many requests may be given up one after the other: an engine that every request kills is broken.
const mostInARow = 3

// Generate implements [backends.Model]. After a death it repeats the requests that were in flight, and gives up one
// that has killed too often. Its error is a [*child.Death] where the engine dies of every request.
func (m *Model) Generate(
	ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error,
) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	pull, stop := iter.Pull(requests)
	defer stop()
	g := &generation{ctx: ctx, pull: pull, done: done}
	for {
		g.alone, g.given = len(g.suspects) > 0, false // one suspect is answered, or without any all requests that are left
		_, err := m.call(ctx, generating, command{What: callGenerate}, g.callback)
		if g.failed != nil {
			return g.failed
		}
		if err == nil {
			if g.end && len(g.suspects) == 0 {
				return nil
			}
			continue
		}
		death, died := errors.AsType[*child.Death](err)
		if !died {
			return err
		}
		inFlight := g.flights
		g.flights = nil
		text, cause := err.Error(), backends.CauseCrash
		if death.Memory {
			cause = backends.CauseMemory
		}
		if g.idle++; len(inFlight) == 0 && g.idle >= mostInARow { // it dies of itself
			return err
		}
		var again []*flight
		for _, f := range inFlight {
			if f.kills++; f.kills < mostKills {
				again = append(again, f)
				continue
			}
			g.inARow++
			failed := done(backends.Completion{
				ID: f.request.ID, Finish: backends.FinishError, Cause: cause, Tries: f.kills,
				Error: fmt.Sprintf("the engine's process died of it twice: %s", death.By),
			})
			if failed != nil {
				return failed
			}
			text += "; " + f.request.ID + " is given up"
		}
		if g.suspects = append(again, g.suspects...); g.inARow >= mostInARow {
			return err
		}
		if len(again) > 0 {
			text += fmt.Sprintf("; %s in flight: retried, one at a time", english.Plural(len(again), "item was", "items were"))
		}
		m.options.Warn(text)
	}
}

// generation is one call of Generate, across all processes that die in it. Its functions are called in Generate's
// goroutine.
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

	flights []*flight // in the order in which they were taken
}

// flight is a request that a process has taken.
type flight struct {
	request backends.Request
	kills   int
}

// callback does what the engine calls back for.
func (g *generation) callback(called event) command {
	o := command{What: called.What}
	switch called.What {
	case callbackNext:
		f := g.take()
		if f == nil {
			break
		}
		g.flights = append(g.flights, f)
		bare := f.request
		bare.Partings, bare.Messages, bare.Think = nil, nil, nil
		o.Request, o.HasPartings = &bare, f.request.Partings != nil
	case callbackCompleted:
		if err := g.completed(*called.Completion); err != nil {
			o.Error = err.Error()
		}
	case callbackPartings:
		if at := g.find(called.ID); at >= 0 {
			o.Partings = g.flights[at].request.Partings()
		}
	}
	return o
}

// find returns the place of a request in flights, or -1.
func (g *generation) find(id string) int {
	return slices.IndexFunc(g.flights, func(f *flight) bool { return f.request.ID == id })
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
	if c.Finish != backends.FinishOpen { // which is handed over when ctx ends, too
		if err := g.ctx.Err(); err != nil {
			return err
		}
		at := g.find(c.ID)
		if at < 0 {
			return fmt.Errorf("%q was not requested", c.ID)
		}
		if kills := g.flights[at].kills; kills > 0 {
			c.Tries = kills + 1
		}
		g.flights = slices.Delete(g.flights, at, at+1)
		g.inARow, g.idle = 0, 0
	}
	g.failed = g.done(c)
	return g.failed
}
