package ollamatest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"proctor/backends/ollama/ollamatest"
)

// whole is an answer as Ollama streams it.
const whole = `{"model":"m","response":"The","done":false}
{"model":"m","response":" answer","done":false}
{"model":"m","response":"","done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":2}
`

// answering serves the whole answer, a line at a time.
func answering(t *testing.T) *url.URL {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for line := range strings.Lines(whole) {
			io.WriteString(w, line)
			w.(http.Flusher).Flush()
		}
	}))
	t.Cleanup(server.Close)
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// post sends one request on a connection of its own.
func post(ctx context.Context, t *testing.T, p *ollamatest.Proxy, path string) (status int, body string, err error) {
	t.Helper()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, "POST", p.URL().JoinPath(path).String(), strings.NewReader(`{"prompt":"p"}`))
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

func TestProxyBreaks(t *testing.T) {
	lines := slices.Collect(strings.Lines(whole))
	for _, test := range []struct {
		fault  ollamatest.Fault
		status int
		body   string
		reset  bool
	}{
		{"", 200, whole, false},
		{ollamatest.Cut, 200, lines[0] + lines[1][:len(lines[1])/2], true},
		{ollamatest.Refuse, 0, "", true},
		{ollamatest.Delay, 200, whole, false},
		{ollamatest.Status, 500, `{"error":"broken on purpose"}`, false},
		{ollamatest.Garbage, 200, lines[0] + "{\"model\": \x00garbage\n" + lines[2], false},
		{ollamatest.Undone, 200, lines[0] + lines[1], false},
		{ollamatest.Countless, 200, lines[0] + lines[1] + `{"done":true,"model":"m","response":""}` + "\n", false},
	} {
		t.Run(string(test.fault), func(t *testing.T) {
			p := ollamatest.NewProxy(t, answering(t), ollamatest.ProxyOptions{Pause: time.Hour})
			p.Break(test.fault)
			status, body, err := post(t.Context(), t, p, "/api/generate")
			if status != test.status || body != test.body || errors.Is(err, syscall.ECONNRESET) != test.reset {
				t.Errorf("status %d, body %q, error %v", status, body, err)
			}
			if test.fault == ollamatest.Refuse {
				if _, _, err := post(t.Context(), t, p, "/api/generate"); !errors.Is(err, syscall.ECONNREFUSED) {
					t.Errorf("the next connection: %v, want it refused", err)
				}
			}
			if seen := p.Requests(); len(seen) != 1 || seen[0].Fault != test.fault || string(seen[0].Body) != `{"prompt":"p"}` {
				t.Errorf("seen: %+v", seen)
			}
		})
	}
}

func TestProxyTakesConnectionsAgain(t *testing.T) {
	p := ollamatest.NewProxy(t, answering(t), ollamatest.ProxyOptions{})
	p.Break(ollamatest.Refuse)
	if _, _, err := post(t.Context(), t, p, "/api/generate"); err == nil {
		t.Fatal("a refused request is answered")
	}
	for {
		_, body, err := post(t.Context(), t, p, "/api/generate")
		if err == nil && body == whole {
			return
		}
		if !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatalf("body %q, error %v", body, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestProxyDelayEndsWithTheRequest(t *testing.T) {
	p := ollamatest.NewProxy(t, answering(t), ollamatest.ProxyOptions{Delay: time.Hour})
	p.Break(ollamatest.Delay)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := post(ctx, t, p, "/api/generate"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a delayed request: %v", err)
	}
}

func TestProxyDrawsTheSameFaultsForASeed(t *testing.T) {
	target := answering(t)
	draw := func(seed uint64) []ollamatest.Fault {
		p := ollamatest.NewProxy(t, target, ollamatest.ProxyOptions{
			Seed: seed, Shares: map[ollamatest.Fault]float64{ollamatest.Status: 0.3, ollamatest.Undone: 0.3},
		})
		var faults []ollamatest.Fault
		for i := range 60 {
			post(t.Context(), t, p, []string{"/api/generate", "/api/chat", "/api/show"}[i%3])
		}
		for _, r := range p.Requests() {
			if r.Path == "/api/show" {
				if r.Fault != "" || r.Body != nil {
					t.Errorf("a request to %s is broken: %q", r.Path, r.Fault)
				}
				continue
			}
			faults = append(faults, r.Fault)
		}
		counts := p.Broken()
		if counts[ollamatest.Status] < 4 || counts[ollamatest.Undone] < 4 || len(counts) != 2 || p.Count("/api/chat") != 20 {
			t.Errorf("seed %d: of 40 requests broken: %v", seed, counts)
		}
		return faults
	}
	first := draw(1)
	if !reflect.DeepEqual(first, draw(1)) || reflect.DeepEqual(first, draw(2)) {
		t.Error("the faults do not follow the seed")
	}
}

func TestProxySince(t *testing.T) {
	p := ollamatest.NewProxy(t, answering(t), ollamatest.ProxyOptions{})
	post(t.Context(), t, p, "/before")
	now := time.Now()
	post(t.Context(), t, p, "/after")
	if late := p.Since(now); len(late) != 1 || late[0].Path != "/after" {
		t.Errorf("since then: %+v", late)
	}
}

func TestProxyBeforeADeadServerIsADeadConnection(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
	p := ollamatest.NewProxy(t, target, ollamatest.ProxyOptions{})
	if status, _, err := post(t.Context(), t, p, "/api/show"); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("status %d, error %v", status, err)
	}
}

func TestProxyBreaksARealServer(t *testing.T) {
	s := serve(t, ollamatest.Options{})
	p := ollamatest.NewProxy(t, s.URL(), ollamatest.ProxyOptions{})
	recorder := &ollamatest.Recorder{}
	client := api.NewClient(p.URL(), &http.Client{Transport: recorder})
	want, _, err := generate(t.Context(), client)
	if err != nil || want == "" {
		t.Fatalf("text %q, error %v", want, err)
	}
	for _, fault := range append(ollamatest.Faults(), ollamatest.Countless) {
		p.Break(fault)
		text, last, err := generate(t.Context(), client)
		got := fmt.Sprintf("error %t, done %t, counts %t", err != nil, last.Done, last.EvalCount > 0)
		expect := map[ollamatest.Fault]string{
			ollamatest.Delay:     "error false, done true, counts true",
			ollamatest.Undone:    "error false, done false, counts false",
			ollamatest.Countless: "error false, done true, counts false",
		}[fault]
		if expect == "" {
			expect = "error true, done false, counts false"
		}
		if got != expect || err == nil && text != want {
			t.Errorf("%s: %s, text %q (%v); want %s, text %q", fault, got, text, err, expect, want)
		}
		for { // refused connections come back
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			text, _, err := generate(ctx, client)
			cancel()
			if err == nil {
				if text != want {
					t.Errorf("after %s: text %q, want %q", fault, text, want)
				}
				break
			}
			if errors.Is(err, context.DeadlineExceeded) {
				// Ollama 0.17.4 may keep the turn of a request that was broken off, and nobody else gets it.
				t.Logf("after %s the server answers nobody: it is started again", fault)
				if err := errors.Join(s.Kill(), s.Restart(t.Context())); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	if hosts := recorder.Hosts(); !slices.Equal(hosts, []string{p.Host()}) {
		t.Errorf("hosts asked: %q, want only %s", hosts, p.Host())
	}
}
