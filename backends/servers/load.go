package servers

import (
	"sync"
	"time"

	"proctor/backends"
)

// load divides a server's time among the answers that it writes at the same time. A server reports for each answer how
// long it took, although it wrote others meanwhile; the journal's times add up to time that really passed.
type load struct {
	mu      sync.Mutex
	writing int
	each    time.Duration // own time of an answer that had been written from the beginning on
	last    time.Time
	seen    int           // pieces of all answers
	pieces  int           // of the answers that are written
	wall    time.Duration // that they took
}

// A share measures an answer's share of its server's time, from its first piece on.
type share struct {
	first  time.Time // when the first piece came
	load   *load
	ended  bool
	pieces int
	seen   int       // of them, at the last call of comes
	at     time.Time // when comes was last called
	mark   time.Duration
	beside int           // answers that the server was writing at first, this one counted
	wall   time.Duration // from the first piece to the end
	own    time.Duration // share of it
}

// begin notes that one more answer is being written.
func (l *load) begin() *share {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.pass(now)
	l.writing++
	return &share{first: now, at: now, load: l, mark: l.each, beside: l.writing}
}

// end notes that the answer is written. It is safe to call twice.
func (s *share) end() {
	l := s.load
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.ended {
		return
	}
	now := time.Now()
	l.pass(now)
	l.writing--
	s.ended, s.own, s.wall = true, l.each-s.mark, now.Sub(s.first)
	l.pieces, l.wall = l.pieces+s.pieces, l.wall+s.wall
}

// piece notes a piece of the answer, its text or its thinking, and returns how many there are.
func (s *share) piece() int {
	s.load.mu.Lock()
	defer s.load.mu.Unlock()
	s.pieces++
	s.load.seen++
	return s.pieces
}

// written is how many pieces of text have come of all answers.
func (l *load) written() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen
}

// slowest is the share of the pace of a server's complete answers at which an answer still counts as progressing.
const slowest = 0.25

// comes says whether the answer has progressed, since the last call or its start, about as fast as the server's
// complete answers did. Before there are any, any progress counts.
func (s *share) comes() bool {
	if s == nil {
		return false
	}
	l := s.load
	l.mu.Lock()
	defer l.mu.Unlock()
	now, pieces, need := time.Now(), s.pieces-s.seen, 0.0
	if l.wall > 0 {
		need = slowest * float64(l.pieces) * float64(now.Sub(s.at)) / float64(l.wall)
	}
	s.seen, s.at = s.pieces, now
	return !s.ended && pieces > 0 && float64(pieces) >= need
}

func (l *load) pass(now time.Time) {
	if passed := now.Sub(l.last); l.writing > 0 && passed > 0 {
		l.each += passed / time.Duration(l.writing)
	}
	l.last = now
}

// timing shares a server's durations out among the answers that it was writing. Where it reports none, they are those
// that were seen here, with the time on the way. A request was pulled, then sent.
func (s *share) timing(pulled, sent time.Time, told *Told) backends.Timing {
	prefill, decode := told.Prefill, told.Decode
	if !told.Timed {
		prefill, decode = s.first.Sub(sent), s.wall
	}
	w := backends.Timing{FirstToken: s.first.Sub(pulled)}
	w.Queue = max(0, w.FirstToken-prefill)
	w.Prefill = prefill / time.Duration(max(s.beside, 1))
	if s.wall > 0 {
		w.Decode = time.Duration(float64(decode) * min(1, float64(s.own)/float64(s.wall)))
	}
	return w
}
