package live

import (
	"bytes"
	"os"
	"sync"
	"time"

	"proctor/runner/journal"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
)

// A report is made again once the journal has grown, after so long, and so many times as long as making it took: it may not slow the
// run down.
const (
	pause = 5 * time.Second
	share = 20
)

// shown is a task whose report is made where somebody looks.
type shown struct {
	folder, name string

	mu    sync.Mutex // held while the report is made
	made  []byte
	of    int64     // bytes of the journal
	after time.Time // when it may be made again
}

// due says whether the report would be another one, and may be made.
func (t *shown) due(ended bool) bool {
	if !t.mu.TryLock() {
		return false // it is being made
	}
	defer t.mu.Unlock()
	return t.stale() && (ended || time.Now().After(t.after))
}

func (t *shown) stale() bool {
	info, err := os.Stat(journal.File(t.folder))
	return err == nil && (t.made == nil || info.Size() != t.of)
}

// report is the task's, made anew where it is due.
func (t *shown) report(ended bool) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	began := time.Now()
	if !t.stale() || t.made != nil && !ended && began.Before(t.after) {
		return t.made, nil
	}
	info, err := os.Stat(journal.File(t.folder))
	if err != nil {
		return nil, err
	}
	format, err := report.Formats.Named("html")
	if err != nil {
		return nil, err
	}
	s, err := metrics.Open(t.folder, metrics.Options{})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := format.Write(&out, s); err != nil {
		return nil, err
	}
	t.made, t.of = out.Bytes(), info.Size()
	now := time.Now()
	t.after = now.Add(max(pause, share*now.Sub(began)))
	return t.made, nil
}
