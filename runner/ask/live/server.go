package live

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"proctor/runner/ask/progress"
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

// Listen begins to serve at an address: HOST:PORT, or :PORT or PORT for this machine alone.
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

// Update shows where the task stands now.
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
