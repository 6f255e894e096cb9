// Package serverstest is for tests of backends that ask servers: a [Proxy] passes requests on and breaks some of them, a [Double] answers
// as a kind of server does.
package serverstest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
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

// Options say what a proxy breaks.
type Options struct {
	Seed   uint64           // of the draw
	Shares map[Kind]float64 // share of the requests for answers that is broken in each way; together at most 1
	Delay  time.Duration    // of [Delay]
	Pause  time.Duration    // in which connections are refused, after a request was, or that a busy server asks for; 0: 100 ms
}

// A request is one that a proxy has seen. Those refused before they could be sent are not seen.
type request struct {
	path  string
	error Kind // how it was broken; empty where it was not
}

// A Proxy passes requests on to a real server and breaks some of them. It is used by many goroutines at a time. A
// server that is dead looks like a dead connection through it.
type Proxy struct {
	options Options
	address string
	server  *http.Server
	pass    *httputil.ReverseProxy

	mu       sync.Mutex
	random   *rand.Rand
	next     []Kind // of the requests to come, before any draw
	seen     []request
	listener net.Listener // nil while connections are refused
	again    *time.Timer  // takes connections again
	closed   bool
}

// New starts a proxy in front of the server at target, on a free loopback port, until the test ends.
func New(t testing.TB, target *url.URL, options Options) *Proxy {
	t.Helper()
	if options.Pause == 0 {
		options.Pause = 100 * time.Millisecond
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

// Break breaks the next requests, one each, instead of drawing. The empty one leaves its request whole.
func (p *Proxy) Break(kinds ...Kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = append(p.next, kinds...)
}

// Count returns how many requests to a path were seen.
func (p *Proxy) Count(path string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.seen {
		if r.path == path {
			n++
		}
	}
	return n
}

// Broken returns how many requests were broken in each way.
func (p *Proxy) Broken() map[Kind]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	counts := map[Kind]int{}
	for _, r := range p.seen {
		if r.error != "" {
			counts[r.error]++
		}
	}
	return counts
}

type (
	connKey struct{} // the client's connection, in a request's context
	kindKey struct{} // how to damage the answer, in a request's context
)

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body) // only then is it noticed that a client goes away
	if err != nil {
		abort(r)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	kind := p.note(r.URL.Path)
	switch kind {
	case Status, Busy, Full, Said:
		w.Header().Set("Content-Type", "application/json")
		if kind == Busy {
			w.Header().Set("Retry-After", fmt.Sprint(p.options.Pause.Seconds()))
		}
		w.WriteHeader(map[Kind]int{Status: 500, Busy: 429, Full: 429, Said: 200}[kind])
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
	p.pass.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), kindKey{}, kind)))
}

// answering are the paths of requests for answers, which alone are broken.
var answering = []string{"/api/generate", "/api/chat", "/v1/completions", "/v1/chat/completions"}

// note keeps a request and chooses how it is broken.
func (p *Proxy) note(path string) (kind Kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(answering, path) {
		kind = p.draw()
	}
	p.seen = append(p.seen, request{path, kind})
	return kind
}

// draw chooses the next request's error. The mutex is held.
func (p *Proxy) draw() Kind {
	if len(p.next) > 0 {
		kind := p.next[0]
		p.next = p.next[1:]
		return kind
	}
	x := p.random.Float64()
	for _, kind := range Kinds {
		share := p.options.Shares[kind]
		if x < share {
			return kind
		}
		x -= share
	}
	return ""
}

// damage puts a broken body in the place of an answer's, where its request's error wants that.
func (p *Proxy) damage(response *http.Response) error {
	ctx := response.Request.Context()
	kind, _ := ctx.Value(kindKey{}).(Kind)
	if kind == "" || kind == Delay || response.StatusCode != http.StatusOK {
		return nil
	}
	response.Header.Del("Content-Length")
	response.ContentLength = -1
	response.Body = &broken{
		Closer: response.Body, lines: bufio.NewReader(response.Body), kind: kind,
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
