// Package serverstest is for tests of backends that ask servers: a [Proxy] passes requests on and breaks some of them, a [Double] answers
// as a kind of server does.
package serverstest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"
)

// A Kind is a way in which a [Proxy] breaks a request. The zero value breaks nothing.
type Kind string

const (
	Cut     Kind = "cut"     // the answer's first line and half of the second, then a TCP reset
	Refuse  Kind = "refuse"  // a TCP reset instead of an answer; for a moment new connections are refused
	Delay   Kind = "delay"   // nothing for a while, then the real answer
	Status  Kind = "status"  // status 500 with an error; the server is not asked
	Garbage Kind = "garbage" // one line of the answer is no JSON
	Busy    Kind = "busy"    // status 429, for the pause that Options name; the server is not asked
	Full    Kind = "full"    // status 429 that names no pause; the server is not asked
	Said    Kind = "said"    // status 200 with an error instead of an answer; the server is not asked
	Abort   Kind = "abort"   // the last line says that the answer was aborted
	Undone  Kind = "undone"  // the answer ends before its last line, as if that were all
)

// Kinds lists the faults that a client must recover from by repeating the request.
var Kinds = []Kind{Cut, Refuse, Delay, Status, Garbage, Busy, Full, Said, Abort, Undone}

// Options say what a proxy breaks.
type Options struct {
	Seed   uint64           // of the draw
	Shares map[Kind]float64 // share of the requests for answers that is broken in each way; together at most 1
	Delay  time.Duration    // of [Delay]
	// in which connections are reset, after a request was, or that a busy server asks for; 0: 100 ms
	Pause time.Duration
}

// A Proxy passes requests on to a real server and breaks some of them. It is used by many goroutines at a time. A
// server that is dead looks like a dead connection through it.
type Proxy struct {
	*httptest.Server
	options Options
	pass    *httputil.ReverseProxy

	mu       sync.Mutex
	random   *rand.Rand
	next     []Kind         // of the requests to come, before any draw
	paths    map[string]int // requests that were seen; those refused before they could be sent are not
	broken   map[Kind]int   // of them
	refusing time.Time      // until when connections are reset
}

// New starts a proxy in front of the server at target, on a free loopback port, until the test ends.
func New(t testing.TB, target *url.URL, options Options) *Proxy {
	if options.Pause == 0 {
		options.Pause = 100 * time.Millisecond
	}
	p := &Proxy{options: options, random: rand.New(rand.NewPCG(options.Seed, 0)), paths: map[string]int{},
		broken: map[Kind]int{}}
	own := &http.Transport{}
	p.pass = &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval:  -1,
		Transport:      own,
		ModifyResponse: p.damage,
		ErrorHandler:   func(_ http.ResponseWriter, r *http.Request, _ error) { abort(r) },
		ErrorLog:       log.New(io.Discard, "", 0), // what was broken on purpose is no news
	}
	p.Server = httptest.NewUnstartedServer(p)
	p.Listener = gate{p.Listener, p}
	p.Config.ErrorLog = p.pass.ErrorLog
	p.Config.ConnContext = func(ctx context.Context,
		c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}
	p.Start()
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
		own.CloseIdleConnections()
	})
	return p
}

// Host returns the proxy's host and port, as in OLLAMA_HOST.
func (p *Proxy) Host() string { return p.Listener.Addr().String() }

// Break breaks the next requests, one each, instead of drawing. The empty one leaves its request whole.
func (p *Proxy) Break(kinds ...Kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = append(p.next, kinds...)
}

// Count returns how many requests to a path were seen.
func (p *Proxy) Count(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.paths[path]
}

// Broken returns how many requests were broken in each way.
func (p *Proxy) Broken() map[Kind]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.broken)
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
	kind := p.draw(r.URL.Path)
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

// draw counts a request and chooses how it is broken.
func (p *Proxy) draw(path string) (kind Kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paths[path]++
	if !slices.Contains(answering, path) {
		return ""
	}
	if len(p.next) > 0 {
		kind, p.next = p.next[0], p.next[1:]
	} else {
		x := p.random.Float64()
		for _, each := range Kinds {
			if share := p.options.Shares[each]; x >= 0 && x < share {
				kind = each
			}
			x -= p.options.Shares[each]
		}
	}
	if kind != "" {
		p.broken[kind]++
	}
	if kind == Refuse {
		p.refusing = time.Now().Add(p.options.Pause)
	}
	return kind
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
	response.Body = &broken{Closer: response.Body, lines: bufio.NewReader(response.Body), kind: kind,
		reset: func() { reset(ctx) }}
	return nil
}

// abort ends a request's handler without an answer, and the client's connection with a reset.
func abort(r *http.Request) {
	reset(r.Context())
	panic(http.ErrAbortHandler)
}

func reset(ctx context.Context) { hangUp(ctx.Value(connKey{}).(net.Conn)) }

func hangUp(c net.Conn) {
	c.(*net.TCPConn).SetLinger(0) // closing it then sends a reset
	c.Close()
}

// A gate resets connections while its proxy refuses them.
type gate struct {
	net.Listener
	proxy *Proxy
}

// Accept implements [net.Listener].
func (g gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		g.proxy.mu.Lock()
		open := time.Now().After(g.proxy.refusing)
		g.proxy.mu.Unlock()
		if open {
			return c, nil
		}
		hangUp(c)
	}
}

var errBroken = errors.New("proxy: broken on purpose")

// broken is a streamed answer's body, a JSON object a line, behind "data: " or alone, damaged as its kind says.
type broken struct {
	io.Closer
	lines *bufio.Reader
	kind  Kind
	reset func() // of the client's connection

	read    int    // objects read so far
	pending []byte // not handed out yet
	last    error  // comes after pending
}

func (b *broken) Read(into []byte) (int, error) {
	for len(b.pending) == 0 {
		if errors.Is(b.last, errBroken) {
			b.reset()
		}
		if b.last != nil {
			return 0, b.last
		}
		b.next()
	}
	n := copy(into, b.pending)
	b.pending = b.pending[n:]
	return n, nil
}

// next reads a line and damages it.
func (b *broken) next() {
	line, err := b.lines.ReadBytes('\n')
	b.pending, b.last = line, err
	event, isEvent := bytes.CutPrefix(line, []byte("data: "))
	var object map[string]json.RawMessage
	if json.Unmarshal(event, &object) != nil {
		return // it is broken already, or says nothing
	}
	b.read++
	final := string(object["done"]) == "true" || bytes.Contains(line, []byte(`"finish_reason":"`))
	second := b.read == 2 || final && b.read == 1
	switch {
	case b.kind == Cut && second:
		b.pending, b.last = line[:len(line)/2], errBroken
	case b.kind == Garbage && second:
		b.pending = []byte("{\"model\": \x00garbage\n")
		if isEvent {
			b.pending = append([]byte("data: "), b.pending...)
		}
	case b.kind == Undone && final:
		b.pending, b.last = nil, io.EOF
	case b.kind == Abort && final:
		b.pending = endReason.ReplaceAll(line, []byte(`$1"abort"`))
	}
}

// endReason is where a last line says why the answer ended.
var endReason = regexp.MustCompile(`("(?:done|finish)_reason":)"[a-z_]+"`)
