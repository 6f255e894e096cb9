package ollama

import (
	"sync"
	"time"
)

// sharing tells each of the answers that a server writes at a time what share of that time was its own. A server
// reports for each answer how long it took, although it wrote others beside it; what is journalled adds up to time
// that really passed.
type sharing struct {
	mu      sync.Mutex
	writing int
	each    time.Duration // own time of an answer that had been written from the beginning on
	last    time.Time
}

// begin notes that one more answer is being written. It returns how many there are now.
func (s *sharing) begin(now time.Time) (mark time.Duration, writing int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass(now)
	s.writing++
	return s.each, s.writing
}

// end notes that the answer which began at mark is written, and returns its own time.
func (s *sharing) end(now time.Time, mark time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass(now)
	s.writing--
	return s.each - mark
}

func (s *sharing) pass(now time.Time) {
	if passed := now.Sub(s.last); s.writing > 0 && passed > 0 {
		s.each += passed / time.Duration(s.writing)
	}
	s.last = now
}
