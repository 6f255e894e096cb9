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
	pass    httputil.ReverseProxy // of requests that are left whole

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
	p.pass = httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval: -1,
		Transport:     own,
		ErrorHandler:  func(_ http.ResponseWriter, r *http.Request, _ error) { abort(r) },
		ErrorLog:      log.New(io.Discard, "", 0), // what was broken on purpose is no news
	}
	p.Server = httptest.NewUnstartedServer(p)
	p.Config.ErrorLog = p.pass.ErrorLog
	p.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !time.Now().After(p.refusing) {
			resetAtEnd(c)
			c.Close()
		}
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

type connKey struct{} // the client's connection, in a request's context

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
	pass := p.pass
	if kind != "" && kind != Delay {
		pass.ModifyResponse = func(answer *http.Response) error { damage(answer, kind); return nil }
	}
	pass.ServeHTTP(w, r)
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

// damage breaks an answer: a stream of JSON objects, a line each, behind "data: " or alone.
func damage(response *http.Response, kind Kind) {
	if response.StatusCode != http.StatusOK {
		return
	}
	response.Header.Del("Content-Length")
	response.ContentLength = -1
	whole := response.Body
	broken, to := io.Pipe()
	response.Body = broken
	go func() {
		defer whole.Close()
		lines, read := bufio.NewReader(whole), 0
		for {
			line, err := lines.ReadBytes('\n')
			event, isEvent := bytes.CutPrefix(line, []byte("data: "))
			var object map[string]json.RawMessage
			if json.Unmarshal(event, &object) == nil { // else it says nothing
				read++
				final := string(object["done"]) == "true" || bytes.Contains(line, []byte(`"finish_reason":"`))
				second := read == 2 || final && read == 1
				switch {
				case kind == Cut && second:
					resetAtEnd(response.Request.Context().Value(connKey{}).(net.Conn))
					line, err = line[:len(line)/2], errors.New("proxy: broken on purpose")
				case kind == Garbage && second:
					line = []byte("{\"model\": \x00garbage\n")
					if isEvent {
						line = append([]byte("data: "), line...)
					}
				case kind == Undone && final:
					line, err = nil, io.EOF
				case kind == Abort && final:
					line = endReason.ReplaceAll(line, []byte(`$1"abort"`))
				}
			}
			if _, gone := to.Write(line); gone != nil { // so is the client
				return
			}
			if err != nil {
				to.CloseWithError(err)
				return
			}
		}
	}()
}

// abort ends a request's handler without an answer, and the client's connection with a reset.
func abort(r *http.Request) {
	resetAtEnd(r.Context().Value(connKey{}).(net.Conn))
	panic(http.ErrAbortHandler)
}

// resetAtEnd has a connection end with a reset when it is closed.
func resetAtEnd(c net.Conn) { c.(*net.TCPConn).SetLinger(0) }

// endReason is where a last line says why the answer ended.
var endReason = regexp.MustCompile(`("(?:done|finish)_reason":)"[a-z_]+"`)
