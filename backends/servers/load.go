package servers

import (
	"sync"
	"time"

	"proctor/backends"
)

// Load tells each of the answers that a server writes at a time what share of that time was its own. A server
// reports for each answer how long it took, although it wrote others beside it; what is journalled adds up to time
// that really passed.
type Load struct {
	mu      sync.Mutex
	writing int
	each    time.Duration // own time of an answer that had been written from the beginning on
	last    time.Time
}

// A Share is what an answer has of its server's time, from its first piece on.
type Share struct {
	First  time.Time // when the first piece came
	load   *Load     // nil once the answer is written
	mark   time.Duration
	beside int           // answers that the server was writing at first, this one counted
	wall   time.Duration // from the first piece to the end
	own    time.Duration // share of it
}

// Begin notes that one more answer is being written.
func (l *Load) Begin() *Share {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &Share{First: time.Now(), load: l}
	l.pass(s.First)
	l.writing++
	s.mark, s.beside = l.each, l.writing
	return s
}

// End notes that the answer is written. It is safe to call twice, and of a nil Share.
func (s *Share) End() {
	if s == nil || s.load == nil {
		return
	}
	l := s.load
	s.load = nil
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.pass(now)
	l.writing--
	s.own, s.wall = l.each-s.mark, now.Sub(s.First)
}

func (l *Load) pass(now time.Time) {
	if passed := now.Sub(l.last); l.writing > 0 && passed > 0 {
		l.each += passed / time.Duration(l.writing)
	}
	l.last = now
}

// Timing shares a server's durations out among the answers that it was writing. Where told is false the server tells none: then
// they are those that were seen here, with the time on the way. A request was pulled, then asked.
func (s *Share) Timing(pulled, asked time.Time, prefill, decode time.Duration, told bool) backends.Timing {
	if !told {
		prefill, decode = s.First.Sub(asked), s.wall
	}
	w := backends.Timing{FirstToken: s.First.Sub(pulled)}
	w.Queue = max(0, w.FirstToken-prefill)
	w.Prefill = prefill / time.Duration(max(s.beside, 1))
	if s.wall > 0 {
		w.Decode = time.Duration(float64(decode) * min(1, float64(s.own)/float64(s.wall)))
	}
	return w
}
