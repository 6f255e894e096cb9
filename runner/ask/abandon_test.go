package ask

import (
	"errors"
	"testing"
)

// synced is a file that remembers whether it was synced.
type synced struct {
	times int
	err   error
}

func (s *synced) Sync() error {
	s.times++
	return s.err
}

func TestARunThatIsAbandonedIsOnTheDisk(t *testing.T) {
	var s Session
	if begun, err := s.Abandon(); begun || err != nil {
		t.Errorf("before anything was begun: %v, %v", begun, err)
	}
	journal, logprobs := &synced{err: errors.New("full")}, &synced{}
	s.files.set(journal, logprobs)
	if begun, err := s.Abandon(); !begun || !errors.Is(err, journal.err) || journal.times != 1 || logprobs.times != 1 {
		t.Errorf("on the way: %v, %v, synced %d and %d times", begun, err, journal.times, logprobs.times)
	}
	s.files.set()
	if begun, err := s.Abandon(); begun || err != nil || journal.times != 1 {
		t.Errorf("after the files were closed: %v, %v", begun, err)
	}
}
