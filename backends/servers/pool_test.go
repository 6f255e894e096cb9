package servers_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/scripts/tests/errortest"
)

// server answers as its script says, at the time that the test's clock shows.
type server struct {
	name     string
	answer   func(at time.Duration) error // at is the time since the test began
	quick    bool                         // what an answer takes is up to answer
	facts    servers.Facts
	generate func(context.Context, *servers.Request, *servers.Answer) error // in the place of answer; nil: none
	chat     func(*servers.Request) (string, error)
	back     func() error // why it can't be admitted
	loads    int

	mu    sync.Mutex
	began time.Time
	times []time.Duration
}

var _ servers.Protocol = (*server)(nil)

func (s *server) Name() string { return s.name }

func (s *server) Facts(context.Context, *servers.Facts) (servers.Facts, error) {
	if s.back == nil {
		return s.facts, nil
	}
	return s.facts, s.back()
}

func (s *server) Load(context.Context, *servers.Run) error {
	s.loads++
	return nil
}

func (s *server) Unload(context.Context) error { return servers.ErrUnable }

func (s *server) Chat(_ context.Context, r *servers.Request) (string, error) {
	if s.chat == nil {
		return "", servers.ErrUnable
	}
	return s.chat(r)
}

func (s *server) Count(_ context.Context, text string) ([]int32, error) {
	return make([]int32, len(strings.Fields(text))), nil
}

func (s *server) Generate(ctx context.Context, r *servers.Request, a *servers.Answer) error {
	s.mu.Lock()
	s.times = append(s.times, time.Since(s.began))
	s.mu.Unlock()
	if s.generate != nil {
		return s.generate(ctx, r, a)
	}
	if !s.quick {
		time.Sleep(perItem)
	}
	if err := s.answer(time.Since(s.began)); err != nil {
		return err
	}
	return whole(a, "yes")
}

// whole ends an answer with a text.
func whole(a *servers.Answer, text string) error {
	a.Finish, a.Ending, a.HasText, a.Prompt = "stop", servers.Whole, true, 3
	return a.Add("", text, "")
}

// when returns the times of the requests that the server got.
func (s *server) when() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.times)
}

// room is a model of scripted servers, with what it told.
type room struct {
	*servers.Model
	began time.Time
	pace  time.Duration // between two items

	mu   sync.Mutex
	told []string
}

const perItem = 100 * time.Millisecond

// open is a model of servers that may each have two requests at a time.
func open(t *testing.T, all ...*server) *room {
	return openWith(t, servers.Options{Settings: backends.Settings{Concurrency: 2}}, all...)
}

func openWith(t *testing.T, o servers.Options, all ...*server) *room {
	t.Helper()
	r := &room{began: time.Now()}
	o.Idle, o.Notes, o.Remedy = func() {}, func(*servers.Run) []string { return nil }, "give it a larger one"
	o.Timeout = 10 * time.Minute
	o.ClientOptions = servers.ClientOptions{
		Tries: 4, Patience: time.Minute, Silence: 100 * time.Hour,
		Log: func(_ slog.Level, text string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.told = append(r.told, text)
		},
	}
	var protocols []servers.Protocol
	for _, s := range all {
		s.began = r.began
		s.facts.Counts = true
		protocols = append(protocols, s)
	}
	var err error
	r.Model, err = servers.Open(t.Context(), protocols, o)
	assert.NilError(t, err)
	return r
}

// manyRequests are n requests.
func manyRequests(n int) iter.Seq[backends.Request] {
	return func(yield func(backends.Request) bool) {
		for i := range n {
			if !yield(backends.Request{ID: fmt.Sprint(i), Prompt: "a b c", MaxTokens: 5}) {
				return
			}
		}
	}
}

// generate asks for n items.
func (r *room) generate(t *testing.T, n int) []backends.Completion {
	t.Helper()
	var all []backends.Completion
	requests := func(yield func(backends.Request) bool) {
		for q := range manyRequests(n) {
			time.Sleep(r.pace)
			if !yield(q) {
				return
			}
		}
	}
	assert.NilError(t, r.Generate(t.Context(), requests, into(&all)))
	assert.Equal(t, len(all), n)
	return all
}

// into gathers completions.
func into(all *[]backends.Completion) func(backends.Completion) error {
	return func(c backends.Completion) error {
		*all = append(*all, c)
		return nil
	}
}

// answered is generate, where every item has a text.
func (r *room) answered(t *testing.T, n int) []backends.Completion {
	t.Helper()
	all := r.generate(t, n)
	failed := failing(all)
	assert.Assert(t, failed == nil, "%d of %d items failed: %+v", len(failed), n, failed)
	return all
}

// says demands how often each text was told, at least once for 0.
func (r *room) says(t *testing.T, times int, texts ...string) {
	t.Helper()
	told := strings.Join(r.told, "\n")
	for _, text := range texts {
		if n := strings.Count(told, text); n == 0 || times > 0 && n != times {
			t.Errorf("%q is told %d times: %s", text, n, told)
		}
	}
}

// failing are those without a text.
func failing(all []backends.Completion) (failed []backends.Completion) {
	for _, c := range all {
		if c.Finish == backends.FinishError {
			failed = append(failed, c)
		}
	}
	return failed
}

// broken is an error as an engine's that may pass.
func broken(time.Duration) error { return &servers.Error{Cause: backends.CauseEngine, Text: "broken"} }

func sound(time.Duration) error { return nil }

// unless answers, but fails with err at the times when it is away.
func unless(away func(at time.Duration) bool, err error) func(at time.Duration) error {
	return func(at time.Duration) error {
		if away(at) {
			return err
		}
		return nil
	}
}

// coming returns a model of servers, and its last server, which is lost while away says so.
func coming(t *testing.T, away func(at time.Duration) bool, others ...*server) (r *room, last *server) {
	lost := &servers.Error{Cause: backends.CauseConnection, Text: "refused", Lost: true}
	last = &server{name: "comes", answer: unless(func(at time.Duration) bool { return at > 0 && away(at) }, lost)}
	last.back = func() error { return last.answer(time.Since(last.began)) }
	return open(t, append(others, last)...), last
}

func TestALostServersItemsGoElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const dies, returns = 2 * time.Second, 10 * time.Second
		dead := func(at time.Duration) bool { return at >= dies && at < returns }
		r, goes := coming(t, dead, &server{name: "stays", answer: sound})
		r.answered(t, 500)
		beside, away := 0, 0
		for _, at := range goes.when() {
			switch {
			case dead(at):
				away++
			case at >= returns:
				beside++
			}
		}
		// The two that were in flight, and nothing else until a visit finds it.
		assert.Check(t, away <= 2 && beside >= 50, "away it was asked %d times, back %d times", away, beside)
		r.says(t, 0, "comes does not answer", "comes answers again")
	})
}

func TestItemsWaitForTheOnlyServer(t *testing.T) {
	for name, c := range map[string]struct {
		away   time.Duration
		failed int // of 20
		within time.Duration
	}{
		"it is back in time": {50 * time.Second, 0, 60 * time.Second},
		"it stays away":      {time.Hour, 20, 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, _ := coming(t, func(at time.Duration) bool { return at < c.away })
				all := r.generate(t, 20)
				failed := failing(all)
				took := time.Since(r.began)
				assert.Check(t, len(failed) == c.failed && took <= c.within, "%d failed, after %s", len(failed), took)
				for _, f := range failed {
					assert.Assert(t, f.Cause == backends.CauseConnection && strings.Contains(f.Error, "no server answers: comes: "),
						"cause %s, %s", f.Cause, f.Error)
				}
			})
		})
	}
}

// A server that is back, but loads its model for longer than it is waited for, is one that does not answer.
func TestItemsFailWhileTheOnlyServerLoadsForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := coming(t, func(time.Duration) bool { return true })
		s.back = func() error { return &servers.Refusal{Code: 503, Words: "Loading model"} }
		for _, f := range r.generate(t, 20) {
			assert.Assert(t, f.Cause == backends.CauseConnection &&
				f.Error == "no server answers: comes: status 503: Loading model", "cause %s, %s", f.Cause, f.Error)
		}
		took := time.Since(r.began)
		assert.Check(t, took <= 2*time.Minute, "it took %s", took)
	})
}

// Once an item has used its tries up, the next ones get one each: a server that breaks in mid-run takes no hours.
func TestAServerThatOnlyFailsIsNotTriedForHours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{name: "breaks", answer: unless(func(at time.Duration) bool { return at > time.Second }, broken(0))}
		r := open(t, s)
		failed := failing(r.generate(t, 120))
		assert.Assert(t, len(failed) >= 90, "%d of 120 failed", len(failed))
		// Two were in flight with four tries each before the first had used its own up.
		n := len(s.when())
		assert.Check(t, n >= 120 && n <= 130, "it was asked %d times for 120 items", n)
	})
}

func TestAnInvalidRequestIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{name: "server", answer: sound, facts: servers.Facts{Context: 8}}
		r := open(t, s)
		for want, q := range map[string]backends.Request{
			"the prompt is empty":                          {MaxTokens: 1},
			"a cap of 0 tokens leaves nothing to generate": {Prompt: "a"},
			"a context of 8 tokens is too small: the prompt has 5 and may get 4 more; 9 are needed: give it a larger one": {
				Prompt: "a b c d e", MaxTokens: 4},
		} {
			var got []backends.Completion
			assert.NilError(t, r.Generate(t.Context(), slices.Values([]backends.Request{q}), into(&got)))
			assert.Check(t, got[0].Error == want && got[0].Finish == backends.FinishError, "%+v", got[0])
		}
		assert.Check(t, s.when() == nil, "it was asked")
	})
}

func TestConversationsAreRenderedOnceAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rendered, requests := 0, 0
		s := &server{name: "server", facts: servers.Facts{Context: 8}}
		s.chat = func(q *servers.Request) (string, error) {
			rendered++
			return "user: " + q.Messages[0].Content, nil
		}
		s.generate = func(_ context.Context, _ *servers.Request, a *servers.Answer) error {
			if requests++; requests == 1 {
				return broken(0)
			}
			return whole(a, "yes")
		}
		r := open(t, s)
		var got []backends.Completion
		for _, text := range []string{"a b c", "a b c d e f g"} {
			q := backends.Request{Messages: []backends.Message{{Role: "user", Content: text}}, MaxTokens: 2}
			assert.NilError(t, r.Generate(t.Context(), slices.Values([]backends.Request{q}), into(&got)))
		}
		assert.Check(t, rendered == 2 && requests == 2 && got[0].Prompt == "user: a b c" && got[0].Tries == 2,
			"rendered %d times, %d requests, %+v", rendered, requests, got[0])
		assert.Check(t, got[1].Cause == backends.CauseTruncated && got[1].Prompt == "user: a b c d e f g" &&
			strings.Contains(got[1].Error, "; 10 are needed"), "one that does not fit: %+v", got[1])
	})
}

func TestASecondTryGoesElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, &server{name: "bad", answer: broken}, &server{name: "good", answer: sound})
		for range 3 {
			c := r.generate(t, 1)[0]
			assert.Assert(t, c.Server == "good" && c.Tries == 2, "%+v", c)
		}
	})
}

func TestAServerMayComeBackAfterItWasGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := coming(t, func(at time.Duration) bool { // it is given up once, and away for a moment later, which items wait for
			return at < 5*time.Minute || at > 6*time.Minute && at < 6*time.Minute+20*time.Second
		})
		r.pace = 10 * time.Second
		all := r.generate(t, 60)
		for i, c := range all {
			if c.Finish == backends.FinishStop {
				assert.Check(t, len(all)-i >= 20 && failing(all[i:]) == nil,
					"the first of %d that came through was the %dth, %d after it failed", len(all), i+1, len(failing(all[i:])))
				return
			}
		}
		t.Error("none came through")
	})
}

// A server whose requests share a context that became full fails all of them at once: they are asked again, fewer at a time.
func TestAContextThatIsSharedGetsFewerAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := &servers.Error{Cause: backends.CauseTruncated, Text: "full", Final: true, Full: true}
		inFlight, overflows, fit, peak := 0, 0, 2, 0
		s := &server{name: "shared", facts: servers.Facts{Slots: 4}}
		s.generate = func(_ context.Context, _ *servers.Request, a *servers.Answer) error {
			s.mu.Lock()
			before := overflows
			if inFlight++; inFlight > fit {
				overflows++
			}
			peak = max(peak, inFlight)
			s.mu.Unlock()
			time.Sleep(perItem)
			s.mu.Lock()
			defer s.mu.Unlock()
			if inFlight--; overflows != before {
				return full
			}
			return whole(a, "yes")
		}
		r := openWith(t, servers.Options{}, s)
		var all []backends.Completion
		err := r.Generate(t.Context(), manyRequests(12), into(&all))
		assert.NilError(t, err)
		assert.Check(t, len(all) == 12 && failing(all) == nil, "%d completions: %+v", len(all), failing(all))
		r.says(t, 1, "has no room for 4 answers at a time", "gets 2 at a time")
		_, err = r.Plan(t.Context(), backends.Workload{}) // which asks the server again how many it answers
		assert.NilError(t, err)
		peak = 0
		assert.NilError(t, r.Generate(t.Context(), manyRequests(12), into(&all)))
		assert.Check(t, is.Equal(peak, 2))
		fit = 0 // not even one: the prompt is too long
		err = r.Generate(t.Context(), manyRequests(12), into(&all))
		errortest.Says(t, err, "3 of 3 prompts did not fit the server's context")
	})
}

// An item's time does not cut an answer that comes at the pace of the server's others, but one that does not.
func TestAnAnswerThatComesIsNotCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gaps := map[string]func(piece int) time.Duration{
			"0": func(int) time.Duration { return 10 * time.Second },                                         // ends after 1,000 s
			"1": func(piece int) time.Duration { return 10*time.Second + time.Duration(piece/30)*time.Hour }, // stalls
			"2": func(piece int) time.Duration { return 10*time.Second + time.Duration(piece/30)*time.Minute },
			"3": func(int) time.Duration { return 12 * time.Second },
		}
		s := &server{name: "slow"}
		s.generate = func(ctx context.Context, q *servers.Request, a *servers.Answer) error {
			for piece := range 100 {
				select {
				case <-time.After(gaps[q.ID](piece)):
				case <-ctx.Done():
					return ctx.Err()
				}
				if err := a.Add("", "x", ""); err != nil {
					return err
				}
			}
			return whole(a, "")
		}
		r := openWith(t, servers.Options{Settings: backends.Settings{Concurrency: 1}}, s)
		texts := map[string]int{}
		requests := func(yield func(backends.Request) bool) {
			for i := range len(gaps) {
				if !yield(backends.Request{ID: fmt.Sprint(i), Prompt: "a b c", MaxTokens: 200}) {
					return
				}
			}
		}
		err := r.Generate(t.Context(), requests, func(c backends.Completion) error {
			texts[c.ID] = len(c.Text)
			assert.Check(t, c.Finish != backends.FinishError || c.Cause == backends.CauseTimeout, "%+v", c)
			return nil
		})
		want := map[string]int{"0": 100, "1": 0, "2": 0, "3": 100}
		assert.Check(t, err == nil && maps.Equal(texts, want), "%v, %v", texts, err)
	})
}

// What is wrong with all requests ends the run, with that error; what is wrong with one of them does not.
func TestAnErrorOfAllRequestsEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refuses := func(from, to int) *server {
			s, n := &server{name: "server"}, 0
			s.generate = func(_ context.Context, _ *servers.Request, a *servers.Answer) error {
				if n++; n >= from && n <= to {
					return &servers.Refusal{Code: 400, Path: "/v1/completions", Words: "Extra inputs are not permitted: foo"}
				}
				return whole(a, "yes")
			}
			return s
		}
		var all []backends.Completion
		s := refuses(1, 1000)
		err := openWith(t, servers.Options{Settings: backends.Settings{Concurrency: 1}}, s).Generate(t.Context(),
			manyRequests(168), into(&all))
		errortest.Says(t, err, "the first 10 requests all failed, so the run stops: server: status 400 at "+
			"/v1/completions: Extra inputs are not permitted")
		assert.Check(t, len(s.when()) == 10 && len(all) == 10, "%d requests, %d completions", len(s.when()), len(all))
		all = nil
		err = openWith(t, servers.Options{Settings: backends.Settings{Concurrency: 1}}, refuses(2,
			40)).Generate(t.Context(), manyRequests(60), into(&all))
		assert.Check(t, err == nil && len(failing(all)) == 39, "%v, %d failed", err, len(failing(all)))
	})
}

// A server that loads its model is waited for, and a person is told.
func TestAServerThatLoadsIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{name: "loads", answer: sound}
		s.back = func() error {
			if time.Since(s.began) < 3*time.Minute {
				return &servers.Refusal{Code: 503, Path: "/props", Words: "Loading model"}
			}
			return nil
		}
		r := open(t, s)
		assert.Check(t, time.Since(r.began) < 4*time.Minute)
		r.says(t, 1, "loads is not ready (status 503 at /props: Loading model): it is waited for")
		s.back = func() error { return &servers.Refusal{Code: 503, Words: "Loading model"} }
		_, err := servers.Open(t.Context(), []servers.Protocol{s}, servers.Options{})
		errortest.Says(t, err, "no server answers: loads: it ran out of time", "Loading model")
	})
}

// At most three servers write something before the first question, and none that may charge for it. The plan says how
// many did.
func TestFewRequestsComeBeforeTheFirstQuestion(t *testing.T) {
	for address, away := range map[string]bool{
		"localhost": false, "gpu-box:8080": false, "127.0.0.1:8080": false, "192.168.1.5/v1": false, "10.1.2.3:1/base": false,
		"[::1]:8080": false,
		"[fe80::1]":  false, "203.0.113.7": true, "203.0.113.7:443/openai": true, "[2001:db8::1]:80": true,
	} {
		assert.Check(t, is.Equal(servers.Away(address), away), address)
	}
	for _, c := range []struct {
		names  []string
		probes int
		says   string
	}{
		{[]string{"a", "b", "127.0.0.1:1", "10.0.0.1", "c"}, 3, "; 3 probes before the first question"},
		{[]string{"203.0.113.7:443", "a"}, 1, "; 1 probe before the first question"},
		{[]string{"203.0.113.7:443"}, 0, "; 0 probes before the first question"},
	} {
		var all []*server
		for _, name := range c.names {
			all = append(all, &server{name: name, answer: sound, quick: true})
		}
		plan, err := open(t, all...).Plan(t.Context(), backends.Workload{MaxTokens: 100, Requests: 500})
		assert.NilError(t, err)
		requests := 0
		for _, s := range all {
			requests += len(s.when())
		}
		assert.Check(t, requests == c.probes && strings.HasSuffix(plan.Description, c.says), "%q: %d requests: %s", c.names,
			requests, plan.Description)
	}
}

// A server that ends answers on its own, by a word that means that they are whole, is told once.
func TestACapThatAServerHidesIsTold(t *testing.T) {
	s := &server{name: "server"}
	s.generate = func(_ context.Context, _ *servers.Request, a *servers.Answer) error {
		a.Output = min(100, 60+10*len(s.when()))
		return whole(a, "yes")
	}
	r := openWith(t, servers.Options{Settings: backends.Settings{Concurrency: 1}}, s)
	var done []backends.Completion
	many := func(yield func(backends.Request) bool) {
		for i := range 20 {
			if !yield(backends.Request{ID: fmt.Sprint(i), Prompt: "a b c", MaxTokens: 500}) {
				return
			}
		}
	}
	assert.NilError(t, r.Generate(t.Context(), many, into(&done)))
	r.says(t, 1, "server: 5 answers end at 100 tokens, and none has more, though max tokens is 500")
}

// Why an item failed that would fail again is said once, as of a server that does not keep to the cap.
func TestAFailureThatStaysIsTold(t *testing.T) {
	s := &server{name: "server"}
	s.generate = func(_ context.Context, _ *servers.Request, a *servers.Answer) error {
		if a.Output = 4; len(s.when())%3 == 0 {
			a.Output = 900
		}
		return whole(a, "yes")
	}
	r := openWith(t, servers.Options{Settings: backends.Settings{Concurrency: 1}}, s)
	assert.Equal(t, len(failing(r.generate(t, 12))), 4)
	r.says(t, 1, "an item failed, and would again: server: the server wrote 900 tokens where max tokens is 5: it does "+
		"not keep "+
		"to max_tokens")
}
