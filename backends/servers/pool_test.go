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
	"proctor/backends/setting"
	"proctor/scripts/tests/errortest"
)

// server answers as its script says, at the time that the test's clock shows.
type server struct {
	servers.State
	name   string
	answer func(at time.Duration) error // at is the time since the test began
	quick  bool                         // what an answer takes is up to answer

	mu    sync.Mutex
	times []time.Duration
}

func (s *server) Name() string { return s.name }

// when returns the times of the requests that the server got.
func (s *server) when() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.times)
}

// room is a pool of scripted servers, with what it told.
type room struct {
	*servers.Pool[*server]
	began time.Time
	pace  time.Duration // between two items

	mu   sync.Mutex
	told []string
}

const perItem = 100 * time.Millisecond

// pool is started; each server may have two requests at a time and is reached again as soon as back says.
func pool(t *testing.T, back func(*server) error, all ...*server) *room {
	return poolOf(t, 2, back, all...)
}

// poolOf returns a pool whose servers may each have limit requests at a time.
func poolOf(t *testing.T, limit int, back func(*server) error, all ...*server) *room {
	r := &room{began: time.Now()}
	r.Pool = servers.NewPool(all, limit, servers.Options[*server]{
		Prefix: "test: ",
		ClientOptions: servers.ClientOptions{
			Tries: 4, Deadline: 10 * time.Minute, Patience: time.Minute,
			Log: func(_ slog.Level, text string) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.told = append(r.told, text)
			},
		},
		Admit: func(_ context.Context, s *server) error { return back(s) },
	})
	for _, s := range all {
		r.Found(s, nil)
	}
	t.Cleanup(r.Start(t.Context()))
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

// protocol asks the scripted servers.
func (r *room) protocol() servers.Protocol[*server] {
	return servers.Protocol[*server]{
		Count: func(prompt string) ([]int32, error) { return make([]int32, len(strings.Fields(prompt))), nil },
		Ask: func(_ context.Context, s *server, q *servers.Request) (backends.Completion, error) {
			s.mu.Lock()
			s.times = append(s.times, time.Since(r.began))
			s.mu.Unlock()
			if !s.quick {
				time.Sleep(perItem)
			}
			if err := s.answer(time.Since(r.began)); err != nil {
				return backends.Completion{}, err
			}
			return backends.Completion{Text: q.Prompt, Finish: backends.FinishStop}, nil
		},
		Truncations: servers.Truncations{What: "the server's context"},
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
	assert.NilError(t, r.Generate(t.Context(), requests, r.protocol(), into(&all)))
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

func always(*server) error { return nil }

// unless answers, but fails with err at the times when it is away.
func unless(away func(at time.Duration) bool, err error) func(at time.Duration) error {
	return func(at time.Duration) error {
		if away(at) {
			return err
		}
		return nil
	}
}

// coming returns a pool of servers, and its last server, which is lost while away says so.
func coming(t *testing.T, away func(at time.Duration) bool, others ...*server) (r *room, last *server) {
	lost := &servers.Error{Cause: backends.CauseConnection, Text: "refused", Lost: true}
	last = &server{name: "comes", answer: unless(away, lost)}
	r = pool(t, func(*server) error { return last.answer(time.Since(r.began)) }, append(others, last)...)
	return r, last
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
					assert.Assert(t, f.Usage.PromptTokens == 3, "the prompt of one that failed has %d tokens", f.Usage.PromptTokens)
				}
			})
		})
	}
}

func TestAServerThatOnlyFailsIsNotTriedForHours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{name: "broken", answer: broken}
		r := pool(t, always, s)
		failed := failing(r.generate(t, 100))
		assert.Assert(t, len(failed) == 100, "%d of 100 failed", len(failed))
		// Two were in flight with four tries each before the first had used its own up.
		n := len(s.when())
		assert.Check(t, n >= 100 && n <= 110, "it was asked %d times for 100 items", n)
	})
}

func TestAnInvalidRequestIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{name: "server", answer: sound}
		r := pool(t, always, s)
		for want, q := range map[string]backends.Request{
			"test: the prompt is empty":                          {MaxTokens: 1},
			"test: a cap of 0 tokens leaves nothing to generate": {Prompt: "a"},
			"test: the prompt has 5 tokens and may get 4 more, the server's context holds 8: 9 are needed": {Prompt: "a b c d e", MaxTokens: 4},
		} {
			var got []backends.Completion
			by := r.protocol()
			by.Context = 8
			assert.NilError(t, r.Generate(t.Context(), slices.Values([]backends.Request{q}), by, into(&got)))
			assert.Check(t, got[0].Error == want && got[0].Finish == backends.FinishError, "%+v", got[0])
		}
		assert.Check(t, s.when() == nil, "it was asked")
	})
}

func TestConversationsAreWrittenDownOnceAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{name: "server", answer: sound}
		r := pool(t, always, s)
		written, requests := 0, 0
		by := r.protocol()
		by.Context, by.Setting = 8, setting.Context
		by.Write = func(_ context.Context, _ *server, q *servers.Request) (string, error) {
			written++
			return "user: " + q.Messages[0].Content, nil
		}
		by.Ask = func(context.Context, *server, *servers.Request) (backends.Completion, error) {
			if requests++; requests == 1 {
				return backends.Completion{}, broken(0)
			}
			return backends.Completion{Finish: backends.FinishStop}, nil
		}
		var got []backends.Completion
		for _, text := range []string{"a b c", "a b c d e f g"} {
			q := backends.Request{Messages: []backends.Message{{Role: "user", Content: text}}, MaxTokens: 2}
			assert.NilError(t, r.Generate(t.Context(), slices.Values([]backends.Request{q}), by, into(&got)))
		}
		assert.Check(t, written == 2 && requests == 2 && got[0].Prompt == "user: a b c" && got[0].Tries == 2,
			"written %d times, %d requests, %+v", written, requests, got[0])
		assert.Check(t, got[1].Cause == backends.CauseTruncated && got[1].Prompt == "user: a b c d e f g" &&
			strings.Contains(got[1].Error, ": context 10 is needed"), "one that does not fit: %+v", got[1])
	})
}

func TestASecondTryGoesElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := pool(t, always, &server{name: "bad", answer: broken}, &server{name: "good", answer: sound})
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
		r := poolOf(t, 4, always, &server{name: "shared"})
		full := &servers.Error{Cause: backends.CauseTruncated, Text: "full", Final: true, Full: true}
		inFlight, overflows, fit := 0, 0, 2
		by := r.protocol()
		by.Ask = func(_ context.Context, s *server, q *servers.Request) (backends.Completion, error) {
			s.mu.Lock()
			before := overflows
			if inFlight++; inFlight > fit {
				overflows++
			}
			s.mu.Unlock()
			time.Sleep(perItem)
			s.mu.Lock()
			defer s.mu.Unlock()
			if inFlight--; overflows != before {
				return backends.Completion{}, full
			}
			return backends.Completion{Text: q.Prompt, Finish: backends.FinishStop}, nil
		}
		var all []backends.Completion
		err := r.Generate(t.Context(), manyRequests(12), by, into(&all))
		assert.NilError(t, err)
		assert.Check(t, len(all) == 12 && failing(all) == nil, "%d completions: %+v", len(all), failing(all))
		r.says(t, 1, "has no room for 4 answers at a time", "gets 2 at a time")
		r.Tells(r.Servers[0], 4) // as where it went away and came back
		assert.Check(t, is.Equal(r.Room(), 2))
		fit = 0 // not even one: the prompt is too long
		err = r.Generate(t.Context(), manyRequests(12), by, into(&all))
		errortest.Says(t, err, "3 of 3 prompts did not fit the server's context")
	})
}

// An item's time does not cut an answer that comes at the pace of the server's others, but one that does not.
func TestAnAnswerThatComesIsNotCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := poolOf(t, 1, always, &server{name: "slow"})
		var load servers.Load
		gaps := map[string]func(piece int) time.Duration{
			"0": func(int) time.Duration { return 10 * time.Second },                                         // ends after 1,000 s
			"1": func(piece int) time.Duration { return 10*time.Second + time.Duration(piece/30)*time.Hour }, // stalls
			"2": func(piece int) time.Duration { return 10*time.Second + time.Duration(piece/30)*time.Minute },
			"3": func(int) time.Duration { return 12 * time.Second },
		}
		by := r.protocol()
		by.Ask = func(ctx context.Context, _ *server, q *servers.Request) (backends.Completion, error) {
			a := servers.NewAnswer(q, &load)
			defer a.Ended()
			for piece := range 100 {
				if err := servers.Wait(ctx, nil, gaps[q.ID](piece)); err != nil {
					return backends.Completion{}, servers.Ended(ctx)
				}
				if err := a.Add("", "x"); err != nil {
					return backends.Completion{}, err
				}
			}
			return backends.Completion{Text: a.Whole(), Finish: backends.FinishStop}, nil
		}
		texts := map[string]int{}
		err := r.Generate(t.Context(), manyRequests(len(gaps)), by, func(c backends.Completion) error {
			texts[c.ID] = len(c.Text)
			assert.Check(t, c.Finish != backends.FinishError || c.Cause == backends.CauseTimeout, "%+v", c)
			return nil
		})
		want := map[string]int{"0": 100, "1": 0, "2": 0, "3": 100}
		assert.Check(t, err == nil && maps.Equal(texts, want), "%v, %v", texts, err)
	})
}
