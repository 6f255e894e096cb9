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
	"github.com/dustin/go-humanize/english"

	"proctor/backends/setting"
)

// A Server is one server of a pool. A backend's own type embeds a [State].
type Server interface {
	comparable
	Name() string   // for people and journals
	InPool() *State // what a pool knows of it
}

// State holds what a pool knows about a server. Its fields are read and written under the pool's lock.
type State struct {
	Load     Load // what it writes at a time; it has a lock of its own
	up       bool
	inFlight int // requests that are there now
	outage   error
	pace     pace
	slowed   bool // a person was told that it gets fewer requests
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
	last    bool          // no more items come
	visits  sync.WaitGroup
	visit   func(S) // probes a server that went away until it answers; nil outside of Start
}

// ErrGone is the error of items while no server answers.
var ErrGone = errors.New("no server answers")

// NewPool returns a pool of servers. Each server may have limit requests at a time; 0: as many as it answers fastest.
func NewPool[S Server](all []S, limit int, options Options[S]) *Pool[S] {
	for _, s := range all {
		s.InPool().pace = atATime(limit)
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

// Tells notes that a server says how many requests it answers at a time.
func (p *Pool[S]) Tells(s S, limit int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := &s.InPool().pace; now.most != min(limit, MostInFlight) || now.searching {
		*now = atATime(limit) // else it was away, and what was learnt of it holds
	}
}

// Start probes lost servers until the returned function is called, which waits for the probes to end.
func (p *Pool[S]) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.visit = func(s S) { p.visits.Go(func() { p.revive(ctx, s) }) }
	p.gone, p.failing, p.last = false, false, false
	for _, s := range p.Servers {
		s.InPool().pace.refusing, s.InPool().pace.skipped = time.Time{}, 0 // what is measured begins anew
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

// Room is how many requests may be in flight now at all servers together, those that are away counted too.
func (p *Pool[S]) Room() (room int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.Servers {
		room += s.InPool().pace.limit
	}
	return room
}

// Slots is how many requests are in flight at all servers together; 0 where that is found out while they answer.
func (p *Pool[S]) Slots() (slots int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.Servers {
		if s.InPool().pace.searches {
			return 0
		}
		slots += s.InPool().pace.most
	}
	return slots
}

// InFlight describes for people how many requests are in flight.
func (p *Pool[S]) InFlight() string {
	if n := p.Slots(); n > 0 {
		return english.Plural(n, "request", "") + " in flight"
	}
	return fmt.Sprintf("1 request in flight, then up to %d at each server while that is faster", mostAtATime)
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
			s.InPool().inFlight++
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
	room := func(s S) int { return s.InPool().pace.limit - s.InPool().inFlight }
	for _, s := range p.Servers {
		switch pause := s.InPool().pace.paused.Sub(now); {
		case !s.InPool().up || room(s) <= 0:
		case pause > 0:
			if wait < 0 || pause < wait {
				wait = pause
			}
		case best == none, best == not, s != not && room(s) > room(best):
			best = s
		}
	}
	return best, wait
}

// refusing returns why no server takes requests, or will in time; nil where one does.
func (p *Pool[S]) refusing(now time.Time, among []S) error {
	var why error
	for _, s := range among {
		of := s.InPool()
		if !of.up {
			continue
		}
		switch pause := of.pace.paused.Sub(now); {
		case of.inFlight > 0:
			return nil
		case pause > 0 && of.pace.pause > p.options.Deadline:
			why = fmt.Errorf("%s%s asks for a pause of %s (until %s), longer than %[5]s: %[6]s the run then, raise %[5]s, or "+
				"name "+
				"another server (%[7]s)",
				p.options.Prefix, s.Name(), of.pace.pause.Round(time.Second), of.pace.paused.Format("2 January 15:04:05"),
				setting.Timeout,
				setting.Resume, of.pace.refusal.Text)
		case !of.pace.refusing.IsZero() && now.Sub(of.pace.refusing) > p.options.Deadline:
			why = fmt.Errorf("%s: %w; it said: %s", s.Name(), ErrRefusing, of.pace.refusal.Text)
		default:
			return nil
		}
	}
	return why
}

// Give ends a request that take counted.
func (p *Pool[S]) Give(s S) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.InPool().inFlight--
	p.wake()
}

// noMore notes that no more items come.
func (p *Pool[S]) noMore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = true
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

// Guarded is a value that several goroutines read and change.
type Guarded[T any] struct {
	mu    sync.Mutex
	value T
}

// Get returns the value as it is now.
func (g *Guarded[T]) Get() T {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.value
}

// Change changes the value.
func (g *Guarded[T]) Change(change func(value *T)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.value)
}
