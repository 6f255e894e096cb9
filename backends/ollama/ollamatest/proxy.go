package ollamatest

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"
)

// ProxyOptions say what a proxy breaks.
type ProxyOptions struct {
	Seed   uint64            // of the draw
	Shares map[Fault]float64 // share of the requests that is broken in each way; together at most 1
	Paths  []string          // that are broken; nil: /api/generate and /api/chat
	Delay  time.Duration     // of the fault of that name
	Pause  time.Duration     // in which connections are refused, after a request was; 0: 100 ms
}

// A Request is one that a proxy has seen. Those refused before they could be sent are not seen.
type Request struct {
	At     time.Time
	Method string
	Path   string
	Fault  Fault  // how it was broken; empty where it was not
	Body   []byte // of the paths that can be broken
}

// A Proxy passes requests on to a real server and breaks some of them. It is used by many goroutines at a time. A
// server that is dead looks like a dead connection through it.
type Proxy struct {
	options ProxyOptions
	address string
	server  *http.Server
	pass    *httputil.ReverseProxy

	mu       sync.Mutex
	random   *rand.Rand
	next     []Fault // of the requests to come, before any draw
	seen     []Request
	listener net.Listener // nil while connections are refused
	again    *time.Timer  // takes connections again
	closed   bool
}

// NewProxy starts a proxy in front of the server at target, on a free loopback port, until the test ends.
func NewProxy(t testing.TB, target *url.URL, options ProxyOptions) *Proxy {
	t.Helper()
	if options.Paths == nil {
		options.Paths = []string{"/api/generate", "/api/chat"}
	}
	if options.Pause == 0 {
		options.Pause = 100 * time.Millisecond
	}
	total := 0.0
	for fault, share := range options.Shares {
		if share < 0 {
			t.Fatalf("ollamatest: share of %s: %g is below 0", fault, share)
		}
		total += share
	}
	if total > 1+1e-9 {
		t.Fatalf("ollamatest: the shares of the faults make %g, more than 1", total)
	}
	p := &Proxy{options: options, random: rand.New(rand.NewPCG(options.Seed, 0))}
	p.pass = &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval:  -1,
		Transport:      &http.Transport{},
		ModifyResponse: p.damage,
		ErrorHandler:   func(_ http.ResponseWriter, r *http.Request, _ error) { abort(r) },
		ErrorLog:       log.New(io.Discard, "", 0), // what was broken on purpose is no news
	}
	p.server = &http.Server{
		Handler:     p,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	if err := p.listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	p.address = p.listener.Addr().String()
	t.Cleanup(p.close)
	return p
}

// URL returns the address to ask instead of the server's.
func (p *Proxy) URL() *url.URL { return &url.URL{Scheme: "http", Host: p.address} }

// Host returns the proxy's host and port, as in OLLAMA_HOST.
func (p *Proxy) Host() string { return p.address }

// Break breaks the next requests, one each, instead of drawing. An empty fault leaves its request whole.
func (p *Proxy) Break(faults ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = append(p.next, faults...)
}

// Requests returns what was seen so far, in order.
func (p *Proxy) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.seen)
}

// Count returns how many requests to a path were seen.
func (p *Proxy) Count(path string) int {
	n := 0
	for _, r := range p.Requests() {
		if r.Path == path {
			n++
		}
	}
	return n
}

// Since returns the requests that came after a point in time.
func (p *Proxy) Since(at time.Time) []Request {
	return slices.DeleteFunc(p.Requests(), func(r Request) bool { return !r.At.After(at) })
}

// Broken returns how many requests were broken in each way.
func (p *Proxy) Broken() map[Fault]int {
	counts := map[Fault]int{}
	for _, r := range p.Requests() {
		if r.Fault != "" {
			counts[r.Fault]++
		}
	}
	return counts
}

type (
	connKey  struct{} // the client's connection, in a request's context
	faultKey struct{} // how to damage the answer, in a request's context
)

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault, err := p.note(r)
	if err != nil {
		abort(r)
	}
	switch fault {
	case Status:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, `{"error":"broken on purpose"}`)
		return
	case Refuse:
		p.refuse()
		abort(r)
	case Delay:
		select {
		case <-time.After(p.options.Delay):
		case <-r.Context().Done():
			return
		}
	}
	p.pass.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), faultKey{}, fault)))
}

// note keeps a request and chooses its fault.
func (p *Proxy) note(r *http.Request) (Fault, error) {
	request := Request{At: time.Now(), Method: r.Method, Path: r.URL.Path}
	breakable := slices.Contains(p.options.Paths, r.URL.Path)
	if breakable {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return "", err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		request.Body = body
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if breakable {
		request.Fault = p.draw()
	}
	p.seen = append(p.seen, request)
	return request.Fault, nil
}

// draw chooses the next request's fault. The mutex is held.
func (p *Proxy) draw() Fault {
	if len(p.next) > 0 {
		fault := p.next[0]
		p.next = p.next[1:]
		return fault
	}
	x := p.random.Float64()
	for _, fault := range append(Faults(), Countless) {
		share := p.options.Shares[fault]
		if x < share {
			return fault
		}
		x -= share
	}
	return ""
}

// damage puts a broken body in the place of an answer's, where its request's fault wants that.
func (p *Proxy) damage(response *http.Response) error {
	ctx := response.Request.Context()
	fault, _ := ctx.Value(faultKey{}).(Fault)
	if fault == "" || fault == Delay || response.StatusCode != http.StatusOK {
		return nil
	}
	response.Header.Del("Content-Length")
	response.ContentLength = -1
	response.Body = &broken{
		Closer: response.Body, lines: bufio.NewReader(response.Body), fault: fault,
		reset: func() { reset(ctx) },
	}
	return nil
}

// abort ends a request's handler without an answer, and the client's connection with a reset.
func abort(r *http.Request) {
	reset(r.Context())
	panic(http.ErrAbortHandler)
}

func reset(ctx context.Context) {
	connection := ctx.Value(connKey{}).(*net.TCPConn)
	connection.SetLinger(0) // closing it then sends a reset
	connection.Close()
}

// listen takes connections at address.
func (p *Proxy) listen(address string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	p.listener = listener
	go p.server.Serve(listener) // ends with the listener
	return nil
}

// refuse stops taking connections for a moment.
func (p *Proxy) refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener == nil {
		return
	}
	p.listener.Close()
	p.listener = nil
	p.again = time.AfterFunc(p.options.Pause, func() {
		for p.listen(p.address) != nil {
			time.Sleep(10 * time.Millisecond) // until the port is free again
		}
	})
}

func (p *Proxy) close() {
	p.mu.Lock()
	p.closed = true
	if p.again != nil {
		p.again.Stop()
	}
	p.mu.Unlock()
	p.server.Close()
	p.pass.Transport.(*http.Transport).CloseIdleConnections()
}
