package ollama

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

// proxyOptions say what a proxy breaks.
type proxyOptions struct {
	Seed   uint64                 // of the draw
	Shares map[proxyError]float64 // share of the requests to /api/generate and /api/chat that is broken in each way; together at most 1
	Delay  time.Duration          // of [errorDelay]
	Pause  time.Duration          // in which connections are refused, after a request was; 0: 100 ms
}

// A proxied request is one that a proxy has seen. Those refused before they could be sent are not seen.
type proxied struct {
	At     time.Time
	Method string
	Path   string
	Error  proxyError // how it was broken; empty where it was not
	Body   []byte     // of the paths that can be broken
}

// A proxy passes requests on to a real server and breaks some of them. It is used by many goroutines at a time. A
// server that is dead looks like a dead connection through it.
type proxy struct {
	options proxyOptions
	address string
	server  *http.Server
	pass    *httputil.ReverseProxy

	mu       sync.Mutex
	random   *rand.Rand
	next     []proxyError // of the requests to come, before any draw
	seen     []proxied
	listener net.Listener // nil while connections are refused
	again    *time.Timer  // takes connections again
	closed   bool
}

// newProxy starts a proxy in front of the server at target, on a free loopback port, until the test ends.
func newProxy(t testing.TB, target *url.URL, options proxyOptions) *proxy {
	t.Helper()
	if options.Pause == 0 {
		options.Pause = 100 * time.Millisecond
	}
	p := &proxy{options: options, random: rand.New(rand.NewPCG(options.Seed, 0))}
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
func (p *proxy) URL() *url.URL { return &url.URL{Scheme: "http", Host: p.address} }

// Host returns the proxy's host and port, as in OLLAMA_HOST.
func (p *proxy) Host() string { return p.address }

// Break breaks the next requests, one each, instead of drawing. The empty one leaves its request whole.
func (p *proxy) Break(kinds ...proxyError) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = append(p.next, kinds...)
}

// Requests returns what was seen so far, in order.
func (p *proxy) Requests() []proxied {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.seen)
}

// Count returns how many requests to a path were seen.
func (p *proxy) Count(path string) int {
	n := 0
	for _, r := range p.Requests() {
		if r.Path == path {
			n++
		}
	}
	return n
}

// Since returns the requests that came after a point in time.
func (p *proxy) Since(at time.Time) []proxied {
	return slices.DeleteFunc(p.Requests(), func(r proxied) bool { return !r.At.After(at) })
}

// Broken returns how many requests were broken in each way.
func (p *proxy) Broken() map[proxyError]int {
	counts := map[proxyError]int{}
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
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind, err := p.note(r)
	if err != nil {
		abort(r)
	}
	switch kind {
	case errorStatus:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, `{"error":"broken on purpose"}`)
		return
	case errorRefuse:
		p.refuse()
		abort(r)
	case errorDelay:
		select {
		case <-time.After(p.options.Delay):
		case <-r.Context().Done():
			return
		}
	}
	p.pass.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), kindKey{}, kind)))
}

// note keeps a request and chooses how it is broken.
func (p *proxy) note(r *http.Request) (proxyError, error) {
	request := proxied{At: time.Now(), Method: r.Method, Path: r.URL.Path}
	breakable := slices.Contains([]string{"/api/generate", "/api/chat"}, r.URL.Path)
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
		request.Error = p.draw()
	}
	p.seen = append(p.seen, request)
	return request.Error, nil
}

// draw chooses the next request's error. The mutex is held.
func (p *proxy) draw() proxyError {
	if len(p.next) > 0 {
		kind := p.next[0]
		p.next = p.next[1:]
		return kind
	}
	x := p.random.Float64()
	for _, kind := range slices.Concat(proxyErrors, []proxyError{errorCountless}) {
		share := p.options.Shares[kind]
		if x < share {
			return kind
		}
		x -= share
	}
	return ""
}

// damage puts a broken body in the place of an answer's, where its request's error wants that.
func (p *proxy) damage(response *http.Response) error {
	ctx := response.Request.Context()
	kind, _ := ctx.Value(kindKey{}).(proxyError)
	if kind == "" || kind == errorDelay || response.StatusCode != http.StatusOK {
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
func (p *proxy) listen(address string) error {
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
func (p *proxy) refuse() {
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

func (p *proxy) close() {
	p.mu.Lock()
	p.closed = true
	if p.again != nil {
		p.again.Stop()
	}
	p.mu.Unlock()
	p.server.Close()
	p.pass.Transport.(*http.Transport).CloseIdleConnections()
}

// A recorder notes which hosts are asked on their way through it.
type recorder struct {
	mu    sync.Mutex
	hosts []string
}

// RoundTrip implements [http.RoundTripper].
func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	if i, found := slices.BinarySearch(r.hosts, request.URL.Host); !found {
		r.hosts = slices.Insert(r.hosts, i, request.URL.Host)
	}
	r.mu.Unlock()
	return http.DefaultTransport.RoundTrip(request)
}

// Hosts returns the hosts asked so far, with their ports, sorted.
func (r *recorder) Hosts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.hosts)
}
