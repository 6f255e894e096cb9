package servers

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/setting"
)

// A server is one of a model's, and what is known of it. The fields below the load are read and written under the
// model's lock.
type server struct {
	Protocol
	facts atomic.Pointer[Facts] // never nil
	load  load                  // what it writes at a time

	outage   error // why it is away; nil while it answers
	inFlight int   // requests that are there now
	answers  int   // that it gave
	pace     pace
	slowed   bool // a person was told that it gets fewer requests
}

// up are the servers that answer.
func (m *Model) up() (all []*server) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.servers {
		if s.outage == nil {
			all = append(all, s)
		}
	}
	return all
}

// start probes lost servers until the returned function is called, which waits for the probes to end.
func (m *Model) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.visit = func(s *server) {
		lasts := errorOf(s.outage).Lasts()
		m.visits.Go(func() { m.revive(ctx, s, lasts) })
	}
	m.gone = false
	m.failing.Store(false)
	m.last.Store(false)
	for _, s := range m.servers {
		s.pace.refusing, s.pace.skipped = time.Time{}, 0 // what is measured begins anew
		if s.outage != nil {
			m.visit(s)
		}
	}
	if !m.anyUp() {
		m.down = time.Now()
	}
	return func() {
		cancel()
		m.mu.Lock()
		m.visit = nil
		m.mu.Unlock()
		m.visits.Wait()
	}
}

// atOnce is how many requests may be in flight now at all servers together, those that are away counted too.
func (m *Model) atOnce() (room int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.servers {
		room += s.pace.limit
	}
	return room
}

// slots is how many requests are in flight at all servers together; 0 where that is found out while they answer.
func (m *Model) slots() (slots int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.servers {
		if s.pace.searches {
			return 0
		}
		slots += s.pace.most
	}
	return slots
}

// inFlight describes for people how many requests are in flight.
func (m *Model) inFlight() string {
	if n := m.slots(); n > 0 {
		return english.Plural(n, "request", "") + " in flight"
	}
	return fmt.Sprintf("1 request in flight, then up to %d at each server while that is faster", mostAtATime)
}

// take waits for a server with room, if possible another than not, or for the only one if that is not nil, and counts
// the request that is to follow; give takes it off again. While no server answers, it waits as long as the model's
// patience is; then it fails at once, until one is back. While all servers refuse every request, it waits as long as an
// item may take.
func (m *Model) take(ctx context.Context, only, not *server) (s *server, began time.Time, err error) {
	among := m.servers
	if only != nil {
		among = []*server{only}
	}
	for {
		m.mu.Lock()
		now := time.Now()
		s, pause := freest(now, among, only, not)
		if s != nil {
			s.inFlight++
			m.mu.Unlock()
			return s, now, nil
		}
		if err := m.refusing(now, among); err != nil {
			m.mu.Unlock()
			return nil, now, err
		}
		changed := m.changed
		if !m.down.IsZero() {
			pause = m.options.Patience - time.Since(m.down)
			if pause <= 0 {
				if !m.gone {
					m.gone = true
					m.log(slog.LevelError, "no server has answered for %s: the items that are left fail, until one does",
						m.options.Patience)
					m.wake()
				}
				e := m.outage()
				e.Text = inALine(e.Text)
				m.mu.Unlock()
				return nil, now, e
			}
		}
		m.mu.Unlock()
		if err := wait(ctx, changed, pause); err != nil {
			return nil, now, err
		}
	}
}

// outage is the error of items while no server answers.
func (m *Model) outage() *Error {
	e := &Error{Cause: backends.CauseConnection}
	var all []string
	for _, s := range m.servers {
		all = append(all, s.Name()+": "+OneLine(s.outage))
	}
	if first := errorOf(m.servers[0].outage); first != nil {
		if e.Final = first.Final; first.Lasts() {
			e.Cause = first.Cause
		}
	}
	e.Text = "no server answers: " + strings.Join(all, "; ")
	return e
}

// give ends a request that take counted.
func (m *Model) give(s *server) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.inFlight--
	m.wake()
}

// wake wakes the items that wait.
func (m *Model) wake() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// wait returns when changed is closed or the time, if not negative, is over; else with the reason why ctx ended.
func wait(ctx context.Context, changed <-chan struct{}, pause time.Duration) error {
	var over <-chan time.Time
	if pause >= 0 {
		timer := time.NewTimer(pause)
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

// freest is the server with the most room, if possible another than not; nil if none has any, with how long it takes
// until the pause of a busy one is over, negative where none pauses. The only one may be asked whatever room it has,
// and before it is known to be up.
func freest(now time.Time, among []*server, only, not *server) (best *server, pause time.Duration) {
	pause = -1
	room := func(s *server) int { return s.pace.limit - s.inFlight }
	for _, s := range among {
		switch left := s.pace.paused.Sub(now); {
		case only == nil && (s.outage != nil || room(s) <= 0):
		case left > 0:
			if pause < 0 || left < pause {
				pause = left
			}
		case best == nil, best == not, s != not && room(s) > room(best):
			best = s
		}
	}
	return best, pause
}

// refusing returns why no server takes requests, or will in time; nil where one does.
func (m *Model) refusing(now time.Time, among []*server) error {
	var why error
	for _, s := range among {
		if s.outage != nil {
			continue
		}
		switch pause := s.pace.paused.Sub(now); {
		case s.inFlight > 0:
			return nil
		case pause > 0 && s.pace.pause > m.options.Timeout:
			why = fmt.Errorf("%s asks for a pause of %s (until %s), longer than %[4]s: %[5]s the run then, raise %[4]s, or "+
				"name another server (%[6]s)", s.Name(), s.pace.pause.Round(time.Second),
				s.pace.paused.Format("2 January 15:04:05"), setting.Timeout, setting.Resume, s.pace.refusal.Text)
		case !s.pace.refusing.IsZero() && now.Sub(s.pace.refusing) > m.options.Timeout:
			why = &Error{Cause: backends.CauseTimeout, Final: true, Text: inALine(fmt.Sprintf("%s: every request has been "+
				"refused for as long as %s: lower %s, or %s the run later; it said: %s", s.Name(), setting.Timeout,
				setting.Concurrency, setting.Resume, s.pace.refusal.Text))}
		default:
			return nil
		}
	}
	return why
}

// note notes what a request to s, which began at began, brought: nil for an answer. The error is err with the server's
// name, and busy where it is to be asked again; nil for others than an [*Error].
func (m *Model) note(s *server, began time.Time, err error) *Error {
	e := errorOf(err)
	if err != nil && e == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if e == nil || !e.Busy {
		s.pace.unsaid, s.pace.refusing = 0, time.Time{}
	}
	if e == nil {
		if s.answers++; !m.last.Load() { // the last ones are fewer at a time than a server may have
			s.pace.answered(time.Now(), s.load.written())
		}
		return nil
	}
	seen, all, now := *e, s.inFlight, time.Now()
	seen.Text = s.Name() + ": " + e.Text
	if e.Cause == backends.CauseAuth && e.Code == 403 && s.answers > 0 { // the key is right, so this request is not
		seen.Cause, seen.Final, seen.Lost = backends.CauseEngine, true, false
	}
	switch {
	case e.Busy:
		m.slow(s, now, began, e)
	// it was answering others, which share its context and may all fail
	case e.Full && (all > 1 || !began.After(s.pace.halved)):
		if s.pace.halve(now, began, all) {
			m.log(slog.LevelWarn, "%s has no room for %d answers at a time, which share its context: it gets %d at a time (%s)",
				s.Name(), all, s.pace.limit, e.Text)
		}
		seen.Busy, seen.Final = true, false
	case seen.Lost && s.outage == nil && m.visit != nil:
		if s.outage = e; !m.anyUp() {
			m.down = now
		}
		m.visit(s)
	}
	return &seen
}

// slow gives a server that refused a request for now fewer of them, and logs that.
func (m *Model) slow(s *server, now, began time.Time, e *Error) {
	if !s.pace.refused(now, began, s.inFlight, e) {
		return
	}
	switch pause := s.pace.pause; {
	case pause > m.options.Timeout:
		m.log(slog.LevelError, "%s asks for a pause of %s, longer than %s: it gets no more items (%s)", s.Name(),
			pause.Round(time.Second), setting.Timeout, e.Text)
	case pause >= longPause:
		m.log(slog.LevelWarn, "%s asks for a pause of %s: its items wait until %s (%s)", s.Name(), pause.Round(time.Second),
			s.pace.paused.Format(time.TimeOnly), e.Text)
	case !s.slowed:
		m.log(slog.LevelWarn, "%s refuses requests for now: it gets fewer at a time (%s)", s.Name(), e.Text)
	}
	s.slowed = true
}

func (m *Model) anyUp() bool {
	return slices.ContainsFunc(m.servers, func(s *server) bool { return s.outage == nil })
}

// The waits between two visits to a server that went away. The first visit comes at once.
const (
	firstVisit = 50 * time.Millisecond
	lastVisit  = 3 * time.Second
	lastProbe  = 30 * time.Second // where a visit generates something
	quiet      = time.Second      // an outage shorter than this is not worth a word
)

// revive looks after a lost server until it answers, or ctx ends; lasts says that a person has to do something about
// it.
func (m *Model) revive(ctx context.Context, s *server, lasts bool) {
	began, told, most := time.Now(), false, lastVisit
	if lasts {
		most = lastProbe
	}
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, m.readmit(ctx, s) },
		growing(firstVisit, most), backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, _ time.Duration) {
			m.mu.Lock()
			s.outage = err
			m.mu.Unlock()
			if !told && time.Since(began) > quiet {
				told = true
				m.log(slog.LevelWarn, "%s does not answer, its items wait or go elsewhere: %s", s.Name(), OneLine(err))
			}
		}))
	if err != nil { // ctx ended
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s.outage, m.down, m.gone = nil, time.Time{}, false
	m.wake()
	if told {
		m.log(slog.LevelInfo, "%s answers again, after %s", s.Name(), time.Since(began).Round(time.Second))
	}
}
