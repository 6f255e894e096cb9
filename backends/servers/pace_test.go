package servers_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/scripts/tests/errortest"
)

// A limit says whether a server takes a request at a time, given the number in flight.
type limit func(at time.Duration, inFlight int) bool

// spaced takes a request each gap, and keeps none for later.
func spaced(gap time.Duration) limit {
	last := -time.Hour
	return func(at time.Duration, _ int) bool {
		if at-last < gap {
			return false
		}
		last = at
		return true
	}
}

// bucket takes one request each gap, and up to size that were not used before.
func bucket(gap time.Duration, size float64) limit {
	tokens, last := size, time.Duration(0)
	return func(at time.Duration, _ int) bool {
		tokens, last = min(size, tokens+float64(at-last)/float64(gap)), at
		if tokens < 1 {
			return false
		}
		tokens--
		return true
	}
}

// window takes a number of requests in each window.
func window(length time.Duration, most int) limit {
	which, taken := time.Duration(-1), 0
	return func(at time.Duration, _ int) bool {
		if now := at / length; now != which {
			which, taken = now, 0
		}
		taken++
		return taken <= most
	}
}

// together takes a number of requests at a time.
func together(most int) limit {
	return func(_ time.Duration, inFlight int) bool { return inFlight < most }
}

// limited is a server with a limit.
type limited struct {
	mu                       sync.Mutex
	takes                    limit
	answer                   time.Duration // what an answer takes
	pause                    time.Duration
	taken, refused, inFlight int
}

// room is a pool of the server alone.
func (l *limited) room(t *testing.T, concurrency int) *room {
	return poolOf(t, concurrency, always, &server{name: "limited", quick: true, answer: l.try})
}

// try asks the server; a refusal comes at once.
func (l *limited) try(at time.Duration) error {
	l.mu.Lock()
	if !l.takes(at, l.inFlight) {
		l.refused++
		l.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		return &servers.Error{Cause: backends.CauseEngine, Text: "status 429: slow down", Busy: true, Pause: l.pause}
	}
	l.taken++
	l.inFlight++
	l.mu.Unlock()
	time.Sleep(l.answer)
	l.mu.Lock()
	l.inFlight--
	l.mu.Unlock()
	return nil
}

// TestALimitedServerIsUsedAtItsRate checks that a pool gets at least 90 % of the rate that a limited server takes, in requests a second.
func TestALimitedServerIsUsedAtItsRate(t *testing.T) {
	for name, c := range map[string]struct {
		takes       limit
		answer      time.Duration
		pause       time.Duration
		concurrency int
		n           int
		rate        float64
	}{
		"28 items, one a second, Retry-After 2": {spaced(time.Second), perItem, 2 * time.Second, 16, 28, 1},
		"one a second, Retry-After 2":           {spaced(time.Second), perItem, 2 * time.Second, 16, 1000, 1},
		"one a second, Retry-After 1":           {spaced(time.Second), perItem, time.Second, 16, 1000, 1},
		"one a second, nothing said":            {spaced(time.Second), perItem, 0, 16, 1000, 1},
		"one a second, long answers":            {spaced(time.Second), 30 * time.Second, 2 * time.Second, 64, 1000, 1},
		"five a second, Retry-After 2":          {spaced(time.Second / 5), perItem, 2 * time.Second, 16, 2000, 5},
		"five a second, Retry-After 1":          {spaced(time.Second / 5), perItem, time.Second, 16, 2000, 5},
		"five a second, nothing said":           {spaced(time.Second / 5), perItem, 0, 16, 2000, 5},
		"a bucket of ten, five a second":        {bucket(time.Second/5, 10), perItem, time.Second, 16, 2000, 5},
		"a bucket of sixty, one a second":       {bucket(time.Second, 60), perItem, time.Second, 16, 2000, 1},
		"sixty a minute":                        {window(time.Minute, 60), perItem, 10 * time.Second, 16, 2000, 1},
		"sixty a minute, nothing said":          {window(time.Minute, 60), perItem, 0, 16, 2000, 1},
		"four at a time":                        {together(4), 10 * time.Second, 0, 16, 1000, 0.4},
		"four at a time, Retry-After 5":         {together(4), 10 * time.Second, 5 * time.Second, 16, 1000, 0.4},
		"one in twenty seconds":                 {spaced(20 * time.Second), perItem, 20 * time.Second, 16, 200, 0.05},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := &limited{takes: c.takes, answer: c.answer, pause: c.pause}
				r := l.room(t, c.concurrency)
				r.answered(t, c.n)
				took := time.Since(r.began)
				rate := float64(c.n) / (took - c.answer).Seconds()
				t.Logf("%d items, %d refusals, %v: %.2f a second, %.0f %% of %v", c.n, l.refused, took, rate, 100*rate/c.rate, c.rate)
				assert.Check(t, rate >= 0.9*c.rate, "%.3f items a second, where %v are taken", rate, c.rate)
				assert.Check(t, l.taken == c.n, "%d requests were taken for %d items", l.taken, c.n)
				r.says(t, 0, "429: slow down")
			})
		})
	}
}

func TestAServerThatWasBusyForAWhileIsUsedAsBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const busy = 20 * time.Second
		l := &limited{answer: perItem, pause: time.Second, takes: func(at time.Duration, _ int) bool { return at >= busy }}
		r := l.room(t, 16)
		r.answered(t, 1000)
		// 16 at a time of 100 ms each are 7 s.
		took := time.Since(r.began)
		assert.Check(t, took <= busy+15*time.Second && l.refused <= 16+20, "it took %v, with %d refusals", took, l.refused)
	})
}

func TestWhatAsksForALongPauseIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limited{answer: perItem, pause: 24 * time.Hour}
		l.takes = func(time.Duration, int) bool { return l.taken < 10 }
		r := l.room(t, 2)
		done := 0
		err := r.Generate(t.Context(), manyRequests(30), r.protocol(), func(backends.Completion) error { done++; return nil })
		assert.Assert(t, err != nil && done == 10 && time.Since(r.began) <= 2*time.Second,
			"after %v and %d items: %v", time.Since(r.began), done, err)
		errortest.Says(t, err, "limited asks for a pause of 24h0m0s", "timeout", "resume", "status 429: slow down")
	})
}

func TestOtherServersContinueWhileOneAsksForALongPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limited{answer: perItem, pause: 24 * time.Hour, takes: func(time.Duration, int) bool { return false }}
		r := poolOf(t, 2, always, &server{name: "limited", quick: true, answer: l.try}, &server{name: "good", answer: sound})
		r.answered(t, 100)
		assert.Check(t, l.refused <= 2 && time.Since(r.began) <= 10*time.Second, "after %v %d were refused", time.Since(r.began), l.refused)
		r.says(t, 1, "it gets no more items")
	})
}

// TestAServerThatRefusesEverythingIsGivenUpInTime has a server refuse all items, for ever or until a while after it was given up.
func TestAServerThatRefusesEverythingIsGivenUpInTime(t *testing.T) {
	for name, until := range map[string]time.Duration{"for ever": 1000 * time.Hour, "for 20 minutes": 20 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &limited{answer: perItem, pause: 5 * time.Second, takes: func(at time.Duration, _ int) bool { return at >= until }}
				r := l.room(t, 4)
				r.pace = 30 * time.Second
				all := r.generate(t, 60)
				failed := failing(all)
				if until > time.Hour && len(failed) != 60 || until < time.Hour && (len(failed) < 5 || len(failed) > 45) {
					t.Fatalf("%d items failed", len(failed))
				}
				for _, c := range failed {
					if c.Cause != backends.CauseTimeout || !strings.Contains(c.Error, "limited: every request has been refused") ||
						!strings.Contains(c.Error, "slow down") {
						t.Fatalf("%+v", c)
					}
				}
				took := time.Since(r.began)
				assert.Check(t, took <= 10*time.Minute+61*r.pace, "it took %v", took)
			})
		})
	}
}

func TestTheEndOfARunEndsThePauseOfAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limited{pause: 5 * time.Minute, takes: func(time.Duration, int) bool { return false }}
		r := l.room(t, 4)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		err := r.Generate(ctx, manyRequests(30), r.protocol(), func(backends.Completion) error { return nil })
		assert.Check(t, errors.Is(err, context.DeadlineExceeded) && time.Since(r.began) == 10*time.Second,
			"after %v: %v", time.Since(r.began), err)
	})
}

// TestOnlyAnswersCountForAnItemsTime has a limit that the last items wait for longer than an item may take.
func TestOnlyAnswersCountForAnItemsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limited{answer: perItem, pause: 30 * time.Second, takes: spaced(30 * time.Second)}
		l.room(t, 64).answered(t, 64)
	})
}

func TestWhatAPauseMeans(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		status int
		header http.Header
		busy   bool
		pause  time.Duration
	}{
		{429, http.Header{}, true, 0},
		{429, http.Header{"Retry-After": {"1"}}, true, time.Second},
		{429, http.Header{"Retry-After": {"0"}}, true, 0},
		{429, http.Header{"Retry-After": {"-7"}}, true, 0},
		{429, http.Header{"Retry-After": {"soon"}}, true, 0},
		{429, http.Header{"Retry-After": {"1e300"}}, true, 365 * 24 * time.Hour},
		{429, http.Header{"Retry-After": {"0.4"}}, true, 400 * time.Millisecond},
		{503, http.Header{"Retry-After": {"86400"}}, true, 24 * time.Hour},
		{503, http.Header{}, false, 0},
		{500, http.Header{"Retry-After": {"5"}}, false, 5 * time.Second},
	} {
		if busy, pause := servers.Busy(c.status, c.header, now); busy != c.busy || pause != c.pause {
			t.Errorf("status %d, %v: busy %t, for %v", c.status, c.header, busy, pause)
		}
	}
	date := http.Header{"Retry-After": {now.Add(90 * time.Second).UTC().Format(http.TimeFormat)}}
	if _, pause := servers.Busy(429, date, now); pause < 88*time.Second || pause > 91*time.Second {
		t.Errorf("a date in 90 s is a pause of %v", pause)
	}
}
