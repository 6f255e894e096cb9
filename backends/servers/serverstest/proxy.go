// Package serverstest is a proxy for tests of backends that ask servers: it passes requests on and breaks some of them.
package serverstest

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
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
	Pause  time.Duration    // in which connections are reset, after a request was, or that a busy server asks for; 0: 100 ms
}

// A Request is one that a proxy has seen. Those that were reset before they could be read are not seen.
type Request struct {
	Path  string
	Error Kind   // how it was broken; empty where it was not
	Body  []byte // of the paths that can be broken
}

// A Proxy passes requests on to a real server and breaks some of them. It is used by many goroutines at a time. A
// server that is dead looks like a dead connection through it.
type Proxy struct {
	options Options
	url     *url.URL
	pass    *httputil.ReverseProxy

	mu     sync.Mutex
	random *rand.Rand
	next   []Kind // of the requests to come, before any draw
	seen   []Request
	closed time.Time // until then connections are reset
}

// New starts a proxy in front of the server at target, on a free loopback port, until the test ends.
func New(t testing.TB, target *url.URL, options Options) *Proxy {
	t.Helper()
	options.Pause = cmp.Or(options.Pause, 100*time.Millisecond)
	transport := &http.Transport{}
	p := &Proxy{options: options, random: rand.New(rand.NewPCG(options.Seed, 0))}
	p.pass = &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval:  -1,
		Transport:      transport,
		ModifyResponse: p.damage,
		ErrorHandler:   func(_ http.ResponseWriter, r *http.Request, _ error) { abort(r) },
		ErrorLog:       log.New(io.Discard, "", 0), // what was broken on purpose is no news
	}
	server := httptest.NewUnstartedServer(p)
	server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) }
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		transport.CloseIdleConnections()
	})
	var err error
	if p.url, err = url.Parse(server.URL); err != nil {
		t.Fatal(err)
	}
	return p
}

// URL returns the address to ask instead of the server's.
func (p *Proxy) URL() *url.URL { return p.url }

// Host returns the proxy's host and port, as in OLLAMA_HOST.
func (p *Proxy) Host() string { return p.url.Host }

// Break breaks the next requests, one each, instead of drawing. The empty one leaves its request whole.
func (p *Proxy) Break(kinds ...Kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = append(p.next, kinds...)
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

// Broken returns how many requests were broken in each way.
func (p *Proxy) Broken() map[Kind]int {
	counts := map[Kind]int{}
	for _, r := range p.Requests() {
		if r.Error != "" {
			counts[r.Error]++
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
	kind, err := p.note(r)
	if err != nil || kind == Refuse {
		abort(r)
	}
	switch kind {
	case Status, Busy, Full, Said:
		w.Header().Set("Content-Type", "application/json")
		if kind == Busy {
			w.Header().Set("Retry-After", fmt.Sprint(p.options.Pause.Seconds()))
		}
		w.WriteHeader(map[Kind]int{Status: 500, Busy: 429, Full: 429, Said: 200}[kind])
		io.WriteString(w, `{"error":"broken on purpose"}`)
		return
	case Delay:
		select {
		case <-time.After(p.options.Delay):
		case <-r.Context().Done():
			return
		}
	}
	p.pass.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), kindKey{}, kind)))
}

// note keeps a request and chooses how it is broken.
func (p *Proxy) note(r *http.Request) (Kind, error) {
	request := Request{Path: r.URL.Path}
	breakable := slices.Contains([]string{"/api/generate", "/api/chat", "/v1/completions", "/v1/chat/completions"}, r.URL.Path)
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
	if time.Now().Before(p.closed) {
		return Refuse, nil
	}
	if breakable {
		request.Error = p.draw()
	}
	if request.Error == Refuse {
		p.closed = time.Now().Add(p.options.Pause)
	}
	p.seen = append(p.seen, request)
	return request.Error, nil
}

// draw chooses the next request's error. The mutex is held.
func (p *Proxy) draw() Kind {
	if len(p.next) > 0 {
		kind := p.next[0]
		p.next = p.next[1:]
		return kind
	}
	x := p.random.Float64()
	for _, kind := range slices.Concat(Kinds, []Kind{Countless}) {
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

// A Recorder notes which hosts are asked on their way through it.
type Recorder struct {
	mu    sync.Mutex
	hosts []string
}

// RoundTrip implements [http.RoundTripper].
func (r *Recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	if i, found := slices.BinarySearch(r.hosts, request.URL.Host); !found {
		r.hosts = slices.Insert(r.hosts, i, request.URL.Host)
	}
	r.mu.Unlock()
	return http.DefaultTransport.RoundTrip(request)
}

// Hosts returns the hosts asked so far, with their ports, sorted.
func (r *Recorder) Hosts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.hosts)
}
