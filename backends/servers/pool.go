package servers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// A Server is one server of a pool. A backend's own type embeds a [State].
type Server interface {
	comparable
	Name() string   // for people and journals
	InPool() *State // what a pool knows of it
}

// State holds what a pool knows about a server. Its fields are read and written under the pool's lock.
type State struct {
	up       bool
	inFlight int // requests that are there now
	limit    int // requests that may be there at a time
	outage   error
	pace     pace
	refusal  *Error    // the last one
	slowed   bool      // a person was told that it gets requests more slowly
	crowded  time.Time // when it got too many for its context
	failed   int       // requests in a row that failed
	trial    time.Time // when it may be tried again, after too many of them
	tripped  bool      // a person was told that it fails
}

// InPool makes what embeds a State a [Server].
func (s *State) InPool() *State { return s }

// Options say how patiently the servers of a pool are asked.
type Options[S Server] struct {
	ClientOptions
	Prefix string // begins messages
	// Admit checks that a server that answers again still has the same model.
	Admit func(context.Context, S) error
}

// Pool shares the items out over servers.
type Pool[S Server] struct {
	Servers []S
	options Options[S]

	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever a waiting item should look again
	down    time.Time     // when the last of the servers went away; zero while one answers
	gone    bool          // none came back in time
	failing bool          // the last item that was finished failed in all its tries
	visits  sync.WaitGroup
	visit   func(S) // probes a server that went away until it answers; nil outside of Start
}

// ErrGone is the error of items while no server answers.
var ErrGone = errors.New("no server answers")

// NewPool returns a pool of servers; each server may have limit requests at a time.
func NewPool[S Server](all []S, limit int, options Options[S]) *Pool[S] {
	for _, s := range all {
		s.InPool().limit = limit
	}
	return &Pool[S]{Servers: all, options: options, changed: make(chan struct{})}
}

// Found notes before Start whether a server answers: why it does not, or nil.
func (p *Pool[S]) Found(s S, outage error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.InPool().up, s.InPool().outage = outage == nil, outage
}

// Up are the servers that answer.
func (p *Pool[S]) Up() (all []S) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.Servers {
		if s.InPool().up {
			all = append(all, s)
		}
	}
	return all
}

// SetLimit sets how many requests a server may have at a time, unless it showed that it has room for fewer.
func (p *Pool[S]) SetLimit(s S, limit int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if of := s.InPool(); of.crowded.IsZero() || limit < of.limit {
		of.limit = limit
	}
}

// Start probes lost servers until the returned function is called, which waits for the probes to end.
func (p *Pool[S]) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.visit = func(s S) { p.visits.Go(func() { p.revive(ctx, s) }) }
	p.gone, p.failing = false, false
	for _, s := range p.Servers {
		s.InPool().pace.since = time.Time{}
		if !s.InPool().up {
			p.visit(s)
		}
	}
	if !p.anyUp() {
		p.down = time.Now()
	}
	return func() {
		cancel()
		p.mu.Lock()
		p.visit = nil
		p.mu.Unlock()
		p.visits.Wait()
	}
}

// Room is how many requests may be in flight at all servers together, those that are away counted too.
func (p *Pool[S]) Room() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	room := 0
	for _, s := range p.Servers {
		room += s.InPool().limit
	}
	return room
}

// take waits for the server that choose finds among some, and counts the request that is to follow; Give takes it off again. Where it
// finds none, choose says how long it takes until it may, negative for unknown. While no server answers, take waits as long as the pool's
// patience is; then it fails at once, until one is back. While all servers refuse every request, it waits as long as an item may take.
func (p *Pool[S]) take(ctx context.Context, among []S, choose func() (S, time.Duration)) (s S, began time.Time, err error) {
	var none S
	for {
		p.mu.Lock()
		s, wait := choose()
		now := time.Now()
		if s != none {
			of := s.InPool()
			of.pace.begin(now, of.inFlight)
			of.inFlight++
			p.mu.Unlock()
			return s, now, nil
		}
		if err := p.refusing(now, among); err != nil {
			p.mu.Unlock()
			return none, now, err
		}
		changed := p.changed
		if !p.down.IsZero() {
			wait = p.options.Patience - time.Since(p.down)
			if p.gone || wait <= 0 {
				p.giveUp()
				err := p.lastOutage()
				p.mu.Unlock()
				return none, now, err
			}
		}
		p.mu.Unlock()
		if err := Wait(ctx, changed, wait); err != nil {
			return none, now, err
		}
	}
}

// Wait returns when changed is closed or the time, if not negative, is over; else with the reason why ctx ended.
func Wait(ctx context.Context, changed <-chan struct{}, wait time.Duration) error {
	var over <-chan time.Time
	if wait >= 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-changed:
	case <-over:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// freest is the server with the most room, if possible another than not; none if none has any. wait is then how long it takes
// until the pause of a busy server is over, negative where none pauses.
func (p *Pool[S]) freest(not S) (best S, wait time.Duration) {
	var none S
	now, wait := time.Now(), -1
	better := p.anyHealthy()
	for _, s := range p.Servers {
		of := s.InPool()
		switch pause := of.pace.wait(now, of.inFlight); {
		case !of.up || of.inFlight >= of.limit || better && of.resting(now):
		case pause > 0:
			if wait < 0 || pause < wait {
				wait = pause
			}
		case best == none, best == not, s != not && of.limit-of.inFlight > best.InPool().limit-best.InPool().inFlight:
			best = s
		}
	}
	return best, wait
}

// Give ends a request that take counted.
func (p *Pool[S]) Give(s S) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.InPool().inFlight--
	p.wake()
}

// wake wakes the items that wait.
func (p *Pool[S]) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// lose takes a server out because of err, and has it probed until it answers.
func (p *Pool[S]) lose(s S, err error) {
	of := s.InPool()
	if !of.up || p.visit == nil {
		return
	}
	of.up, of.outage = false, err
	if !p.anyUp() {
		p.down = time.Now()
	}
	p.visit(s)
}

// Leave takes a server out before Start, but not the last one.
func (p *Pool[S]) Leave(s S, err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.InPool().up = false
	if !p.anyUp() {
		s.InPool().up = true
		return false
	}
	s.InPool().outage = err
	return true
}

func (p *Pool[S]) anyUp() bool {
	return slices.ContainsFunc(p.Servers, func(s S) bool { return s.InPool().up })
}

// giveUp makes items fail at once from now on.
func (p *Pool[S]) giveUp() {
	if p.gone {
		return
	}
	p.gone = true
	p.log(slog.LevelError, "no server has answered for %s: the items that are left fail, until one does", p.options.Patience)
	p.wake()
}

func (p *Pool[S]) log(level slog.Level, format string, a ...any) {
	p.options.Log(level, p.options.Prefix+fmt.Sprintf(format, a...))
}

// lastOutage lists why each server is gone.
func (p *Pool[S]) lastOutage() error {
	err, mark := ErrGone, ":"
	for _, s := range p.Servers {
		if outage := s.InPool().outage; outage != nil {
			err, mark = fmt.Errorf("%w%s %s: %w", err, mark, s.Name(), outage), ";"
		}
	}
	return err
}

// The waits between two visits to a server that went away. The first visit comes at once.
const (
	firstVisit = 50 * time.Millisecond
	lastVisit  = 3 * time.Second
	quiet      = time.Second // an outage shorter than this is not worth a word
)

// revive looks after a lost server until it answers, or ctx ends.
func (p *Pool[S]) revive(ctx context.Context, s S) {
	lost, told := time.Now(), false
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, p.options.Admit(ctx, s) },
		growing(firstVisit, lastVisit), backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, _ time.Duration) {
			p.mu.Lock()
			s.InPool().outage = err
			p.mu.Unlock()
			if !told && time.Since(lost) > quiet {
				told = true
				p.log(slog.LevelWarn, "%s does not answer, its items wait or go elsewhere: %s", s.Name(), OneLine(err))
			}
		}))
	if err != nil { // ctx ended
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s.InPool().up, p.down, p.gone = true, time.Time{}, false
	p.wake()
	if told {
		p.log(slog.LevelInfo, "%s answers again, after %s", s.Name(), time.Since(lost).Round(time.Second))
	}
}
