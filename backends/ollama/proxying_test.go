package ollama

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

	"proctor/backends"
	"proctor/backends/ollama/ollamatest"
	"proctor/backends/servers"
	"proctor/backends/servers/serverstest"
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
func post(ctx context.Context, t *testing.T, p *serverstest.Proxy, path string) (status int, body string, err error) {
	t.Helper()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL().JoinPath(path).String(), strings.NewReader(`{"prompt":"p"}`))
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
		kind   serverstest.Kind
		status int
		body   string
		reset  bool
	}{
		{"", 200, whole, false},
		{serverstest.Cut, 200, lines[0] + lines[1][:len(lines[1])/2], true},
		{serverstest.Refuse, 0, "", true},
		{serverstest.Delay, 200, whole, false},
		{serverstest.Status, 500, `{"error":"broken on purpose"}`, false},
		{serverstest.Busy, 429, `{"error":"broken on purpose"}`, false},
		{serverstest.Full, 429, `{"error":"broken on purpose"}`, false},
		{serverstest.Said, 200, `{"error":"broken on purpose"}`, false},
		{serverstest.Abort, 200, lines[0] + lines[1] + strings.Replace(lines[2], `"stop"`, `"abort"`, 1), false},
		{serverstest.Garbage, 200, lines[0] + "{\"model\": \x00garbage\n" + lines[2], false},
		{serverstest.Undone, 200, lines[0] + lines[1], false},
		{serverstest.Countless, 200, lines[0] + lines[1] + `{"done":true,"model":"m","response":""}` + "\n", false},
	} {
		t.Run(string(test.kind), func(t *testing.T) {
			p := serverstest.New(t, answering(t), serverstest.Options{Pause: time.Hour})
			p.Break(test.kind)
			status, body, err := post(t.Context(), t, p, "/api/generate")
			if status != test.status || body != test.body || errors.Is(err, syscall.ECONNRESET) != test.reset {
				t.Errorf("status %d, body %q, error %v", status, body, err)
			}
			if test.kind == serverstest.Refuse {
				if _, _, err := post(t.Context(), t, p, "/api/generate"); !errors.Is(err, syscall.ECONNREFUSED) {
					t.Errorf("the next connection: %v, want it refused", err)
				}
			}
			if seen := p.Requests(); len(seen) != 1 || seen[0].Error != test.kind || string(seen[0].Body) != `{"prompt":"p"}` {
				t.Errorf("seen: %+v", seen)
			}
		})
	}
}

func TestProxyTakesConnectionsAgain(t *testing.T) {
	p := serverstest.New(t, answering(t), serverstest.Options{})
	p.Break(serverstest.Refuse)
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
	p := serverstest.New(t, answering(t), serverstest.Options{Delay: time.Hour})
	p.Break(serverstest.Delay)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := post(ctx, t, p, "/api/generate"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a delayed request: %v", err)
	}
}

func TestProxyDrawsTheSameErrorsForASeed(t *testing.T) {
	target := answering(t)
	draw := func(seed uint64) []serverstest.Kind {
		p := serverstest.New(t, target, serverstest.Options{
			Seed: seed, Shares: map[serverstest.Kind]float64{serverstest.Status: 0.3, serverstest.Undone: 0.3},
		})
		var kinds []serverstest.Kind
		for i := range 60 {
			post(t.Context(), t, p, []string{"/api/generate", "/api/chat", "/api/show"}[i%3])
		}
		for _, r := range p.Requests() {
			if r.Path == "/api/show" {
				if r.Error != "" || r.Body != nil {
					t.Errorf("a request to %s is broken: %q", r.Path, r.Error)
				}
				continue
			}
			kinds = append(kinds, r.Error)
		}
		counts := p.Broken()
		if counts[serverstest.Status] < 4 || counts[serverstest.Undone] < 4 || len(counts) != 2 || p.Count("/api/chat") != 20 {
			t.Errorf("seed %d: of 40 requests broken: %v", seed, counts)
		}
		return kinds
	}
	first := draw(1)
	if !reflect.DeepEqual(first, draw(1)) || reflect.DeepEqual(first, draw(2)) {
		t.Error("the kinds do not follow the seed")
	}
}

func TestProxySince(t *testing.T) {
	p := serverstest.New(t, answering(t), serverstest.Options{})
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
	p := serverstest.New(t, target, serverstest.Options{})
	if status, _, err := post(t.Context(), t, p, "/api/show"); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("status %d, error %v", status, err)
	}
}

// generate returns the text of a short greedy answer and its last piece.
func generate(ctx context.Context, client *api.Client) (text string, last api.GenerateResponse, err error) {
	err = client.Generate(ctx, &api.GenerateRequest{
		Model: "control", Raw: true, Prompt: items(1)[0].Prompt,
		Options: map[string]any{"temperature": 0, "num_predict": 8, "num_ctx": 256, "num_thread": 1},
	}, func(r api.GenerateResponse) error {
		text += r.Response
		last = r
		return nil
	})
	return text, last, err
}

func TestProxyBreaksARealServer(t *testing.T) {
	s := serve(t, ollamatest.Options{})
	p := serverstest.New(t, s.URL(), serverstest.Options{})
	recorder := &serverstest.Recorder{}
	client := api.NewClient(p.URL(), &http.Client{Transport: recorder})
	want, _, err := generate(t.Context(), client)
	if err != nil || want == "" {
		t.Fatalf("text %q, error %v", want, err)
	}
	for _, kind := range slices.Concat(serverstest.Kinds, []serverstest.Kind{serverstest.Countless}) {
		p.Break(kind)
		text, last, err := generate(t.Context(), client)
		got := fmt.Sprintf("error %t, done %t, counts %t", err != nil, last.Done, last.EvalCount > 0)
		expect := map[serverstest.Kind]string{
			serverstest.Delay:     "error false, done true, counts true",
			serverstest.Abort:     "error false, done true, counts true",
			serverstest.Undone:    "error false, done false, counts false",
			serverstest.Countless: "error false, done true, counts false",
		}[kind]
		if expect == "" {
			expect = "error true, done false, counts false"
		}
		if got != expect || err == nil && text != want {
			t.Errorf("%s: %s, text %q (%v); want %s, text %q", kind, got, text, err, expect, want)
		}
		for { // refused connections come back
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			text, _, err := generate(ctx, client)
			cancel()
			if err == nil {
				if text != want {
					t.Errorf("after %s: text %q, want %q", kind, text, want)
				}
				break
			}
			if errors.Is(err, context.DeadlineExceeded) {
				// Ollama 0.17.4 may keep the turn of a request that was broken off, and nobody else gets it.
				t.Logf("after %s the server answers nobody: it is started again", kind)
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

func TestThroughABreakingProxy(t *testing.T) {
	s := serve(t, ollamatest.Options{Parallel: 4})
	for i, kind := range serverstest.Kinds {
		t.Run(string(kind), func(t *testing.T) {
			p := serverstest.New(t, s.URL(), serverstest.Options{
				Seed: uint64(i), Shares: map[serverstest.Kind]float64{kind: 0.2}, Delay: 300 * time.Millisecond,
			})
			m := openControl(t, Options{Concurrency: 4, Context: 512, Asking: servers.Asking{Silence: 200 * time.Millisecond}}, p.Host())
			if i == 0 { // loading the model takes longer than the silence that is allowed
				load(t, s, m)
			}
			requests := items(50)
			all, err := ask(t, m, requests...)
			if err != nil {
				t.Fatal(err)
			}
			everyOne(t, requests, all)
			if n := p.Broken()[kind]; n < 5 {
				t.Errorf("only %d requests were broken", n)
			}
			tries := 0
			for _, c := range all {
				tries += c.Tries
			}
			if n := p.Count("/api/generate"); kind != serverstest.Refuse && tries != n {
				t.Errorf("%d tries are reported, %d requests came", tries, n)
			}
		})
	}
}

func TestPlanAndConversationsOutliveErrors(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Options{})
	create(t, s, "control", control, thinker)
	p := serverstest.New(t, s.URL(), serverstest.Options{Seed: 7, Shares: map[serverstest.Kind]float64{
		serverstest.Cut: 0.1, serverstest.Status: 0.1, serverstest.Undone: 0.1, serverstest.Garbage: 0.1,
	}})
	m := openControl(t, Options{Context: 512, Concurrency: 1}, p.Host())
	p.Break(serverstest.Undone, serverstest.Cut, serverstest.Status)
	if _, err := m.Plan(t.Context(), backends.Workload{}); err != nil {
		t.Fatal(err)
	}
	if n := p.Count("/api/generate"); n < 4 {
		t.Errorf("%d requests to load the model, the first three were broken", n)
	}
	want, err := m.Converse(t.Context(), conversation, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if text, err := m.Converse(t.Context(), conversation, nil); err != nil || text != want {
			t.Fatalf("%q, %v", text, err)
		}
	}
}
