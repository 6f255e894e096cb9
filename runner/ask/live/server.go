package live

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
)

// How long the end waits for browsers to fetch the last report, and for requests under way.
const grace = 3 * time.Second

// A Server shows the tasks of a session.
type Server struct {
	Guard
	http     *http.Server
	served   chan struct{} // closed once nothing is served any more
	ended    chan struct{} // closed when the session ends
	over     atomic.Bool   // since then
	watching sync.WaitGroup

	mu     sync.Mutex
	tasks  []*shown
	update progress.Update
}

// Listen starts to serve at an address: HOST:PORT, or :PORT or PORT for this machine alone.
func Listen(address string) (*Server, error) {
	listener, g, err := Guarded(address)
	if err != nil {
		return nil, err
	}
	s := &Server{Guard: g, served: make(chan struct{}), ended: make(chan struct{})}
	s.http = g.Server(s.handler())
	go func() {
		defer close(s.served)
		_ = s.http.Serve(listener)
	}()
	return s, nil
}

// Begin shows the next task, which is kept in a folder.
func (s *Server) Begin(folder string, first progress.Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = append(s.tasks, &shown{folder: folder, name: first.Task})
	s.update = first
}

// Update shows the task's progress.
func (s *Server) Update(u progress.Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.update = u
}

// Close ends the server: browsers that watch get the last report before.
func (s *Server) Close() error {
	if s.over.Swap(true) {
		return nil
	}
	close(s.ended)
	gone := make(chan struct{})
	go func() {
		s.watching.Wait()
		close(gone)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	select {
	case <-gone:
	case <-ctx.Done():
	}
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-s.served
	return err
}

// A report is made again once the journal has grown, but not within the pause, nor before share times the time that making it took has
// passed: it may not slow the run down.
const (
	pause = 5 * time.Second
	share = 20
)

// shown is a task whose report is made on request.
type shown struct {
	folder, name string

	mu    sync.Mutex // held while the report is made
	made  []byte
	of    int64     // bytes of the journal
	after time.Time // when it may be made again
}

// due says whether the report is out of date, and may be made again.
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

// report is the task's report, made again where it is due.
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
