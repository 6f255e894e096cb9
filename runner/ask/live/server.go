package live

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"proctor/runner/ask/progress"
)

// How long the end waits for browsers to fetch the last report, and for requests under way.
const grace = 3 * time.Second

// A Server shows the tasks of a session.
type Server struct {
	guard
	http     *http.Server
	address  string
	served   chan struct{} // closed once nothing is served any more
	ended    chan struct{} // closed when the session ends
	watching sync.WaitGroup

	mu     sync.Mutex
	tasks  []*shown
	update progress.Update
}

// Listen begins to serve at an address: HOST:PORT, or :PORT or PORT for this machine alone.
func Listen(address string) (*Server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil && !strings.Contains(address, ":") {
		host, port, err = "", address, nil
	}
	if err != nil || port == "" {
		return nil, fmt.Errorf("%q is no address to serve at: give HOST:PORT, as in 127.0.0.1:8080, or a PORT", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("can't serve at %s: %w; port 0 takes one that is free", address, err)
	}
	at := listener.Addr().(*net.TCPAddr)
	s := &Server{served: make(chan struct{}), ended: make(chan struct{})}
	s.guard = guard{port: fmt.Sprint(at.Port), loopback: at.IP.IsLoopback(), base: "/"}
	if !s.loopback {
		s.base = "/" + rand.Text() + "/"
	}
	if _, err := netip.ParseAddr(host); err != nil {
		s.name = host
	}
	s.address = "http://" + net.JoinHostPort(host, s.port) + s.base
	// An answer may take as long as a run does: no write timeout.
	s.http = &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 16}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(listener)
	}()
	return s, nil
}

// Address is what to open in a browser. Beyond this machine it holds the secret that lets one in.
func (s *Server) Address() string { return s.address }

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
	select {
	case <-s.ended:
		return nil
	default:
		close(s.ended)
	}
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
