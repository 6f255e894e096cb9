package servers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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

// from takes everything from a time on.
func from(begin time.Duration) limit {
	return func(at time.Duration, _ int) bool { return at >= begin }
}

// together takes a number of requests at a time.
func together(most int) limit {
	return func(_ time.Duration, inFlight int) bool { return inFlight < most }
}

// limited is a server with a limit.
type limited struct {
	mu                       sync.Mutex
	takes                    limit
	answer                   func(inFlight int) time.Duration // what an answer takes that begins beside others
	pause                    time.Duration
	slots                    int // that it tells
	taken, refused, inFlight int
	peak                     int // in flight
}

func each(answer time.Duration) func(int) time.Duration {
	return func(int) time.Duration { return answer }
}

// room is a pool of the server alone.
func (l *limited) room(t *testing.T, concurrency int) *room {
	return openWith(t, servers.Options{Settings: backends.Settings{Concurrency: concurrency}},
		&server{name: "limited", quick: true, answer: l.try, facts: servers.Facts{Slots: l.slots}})
}

// try asks the server; a refusal comes at once.
func (l *limited) try(at time.Duration) error {
	l.mu.Lock()
	if !l.takes(at, l.inFlight) {
		l.refused++
		l.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		return &servers.Refusal{Code: http.StatusTooManyRequests, Words: "slow down", Header: retryAfter(l.pause)}
	}
	l.taken++
	l.inFlight++
	l.peak = max(l.peak, l.inFlight)
	takes := l.answer(l.inFlight)
	l.mu.Unlock()
	time.Sleep(takes)
	l.mu.Lock()
	l.inFlight--
	l.mu.Unlock()
	return nil
}

// A server gets twice as many requests at a time while it writes faster then, and half as many once it does not.
func TestAServerGetsAsManyAtATimeAsPay(t *testing.T) {
	for name, c := range map[string]struct {
		answer            func(inFlight int) time.Duration
		concurrency, told int
		want, peak        int
	}{
		"the rate scales":       {each(perItem), 0, 0, 64, 64},
		"one slot":              {func(n int) time.Duration { return time.Duration(n) * perItem }, 0, 0, 1, 2},
		"four slots":            {func(n int) time.Duration { return time.Duration(max(4, n)) * perItem / 4 }, 0, 0, 4, 8},
		"it falls from four on": {func(n int) time.Duration { return perItem << (2 * max(0, n-3)) }, 0, 0, 2, 4},
		"it tells its slots":    {each(perItem), 0, 3, 3, 3},
		"a number was given":    {each(perItem), 5, 0, 5, 5},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &limited{takes: from(0), answer: c.answer, slots: c.told}
				r := l.room(t, c.concurrency)
				r.answered(t, 1000)
				assert.Check(t, l.peak <= c.peak && l.taken == 1000, "%d at a time, %d requests", l.peak, l.taken)
				l.peak = 0
				r.answered(t, 100) // what was found holds
				assert.Equal(t, l.peak, c.want)
			})
		})
	}
}

// A server that refuses gets half as many at a time after its pause, and then one more after every 32 answers. A pool
// gets most of what it takes, and few requests are refused.
func TestALimitedServerIsUsed(t *testing.T) {
	for name, c := range map[string]struct {
		takes       limit
		answer      time.Duration
		pause       time.Duration
		concurrency int
		n           int
		rate        float64 // of the server, in requests a second
		share       float64 // of it that is used
		refused     int
	}{
		"sixty a minute, Retry-After 10": {window(time.Minute, 60), perItem, 10 * time.Second, 0, 1000, 1, 0.8, 200},
		"sixty a minute, nothing said":   {window(time.Minute, 60), perItem, 0, 16, 1000, 1, 0.6, 200},
		"one a second, Retry-After 1":    {spaced(time.Second), perItem, time.Second, 16, 200, 1, 0.45, 250},
		"four at a time":                 {together(4), 10 * time.Second, 0, 0, 1000, 0.4, 0.6, 50},
		"four at a time, Retry-After 5":  {together(4), 10 * time.Second, 5 * time.Second, 16, 1000, 0.4, 0.6, 50},
		"none for 20 s, Retry-After 1":   {from(20 * time.Second), perItem, time.Second, 16, 1000, 1000 / 59.9, 1, 50},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &limited{takes: c.takes, answer: each(c.answer), pause: c.pause}
				r := l.room(t, c.concurrency)
				r.answered(t, c.n)
				took := time.Since(r.began)
				rate := float64(c.n) / (took - c.answer).Seconds()
				t.Logf("%d items, %d refusals, %v: %.2f a second, %.0f %% of %v", c.n, l.refused, took, rate, 100*rate/c.rate, c.rate)
				assert.Check(t, rate >= c.share*c.rate, "%.3f items a second, where %v are taken", rate, c.rate)
				assert.Check(t, l.taken == c.n && l.refused <= c.refused, "%d requests were taken, %d refused", l.taken, l.refused)
				r.says(t, 0, "429: slow down")
			})
		})
	}
}

func TestWhatAsksForALongPauseIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limited{answer: each(perItem), pause: 24 * time.Hour}
		l.takes = func(time.Duration, int) bool { return l.taken < 10 }
		r := l.room(t, 2)
		done := 0
		err := r.Generate(t.Context(), manyRequests(30), func(backends.Completion) error { done++; return nil })
		assert.Assert(t, err != nil && done == 10 && time.Since(r.began) <= 2*time.Second,
			"after %v and %d items: %v", time.Since(r.began), done, err)
		errortest.Says(t, err, "limited asks for a pause of 24h0m0s", "timeout", "resume", "status 429: slow down")
	})
}

func TestOtherServersContinueWhileOneAsksForALongPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limited{answer: each(perItem), pause: 24 * time.Hour, takes: func(time.Duration, int) bool { return false }}
		r := open(t, &server{name: "limited", quick: true, answer: l.try}, &server{name: "good", answer: sound})
		r.answered(t, 100)
		assert.Check(t, l.refused <= 2 && time.Since(r.began) <= 10*time.Second, "after %v %d were refused", time.Since(r.began), l.refused)
		r.says(t, 1, "it gets no more items")
	})
}

// TestAServerThatRefusesEverythingIsGivenUpInTime has a server refuse all items, for ever or until a while after it was given up.
func TestAServerThatRefusesEverythingIsGivenUpInTime(t *testing.T) {
	for name, until := range map[string]time.Duration{"for ever": 1000 * time.Hour, "for 20 minutes": 20 * time.Minute} {
		least, most := 60, 60
		if until < time.Hour {
			least, most = 5, 45
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &limited{answer: each(perItem), pause: 5 * time.Second, takes: from(until)}
				r := l.room(t, 4)
				r.pace = 30 * time.Second
				all := r.generate(t, 60)
				failed := failing(all)
				assert.Assert(t, len(failed) >= least && len(failed) <= most, "%d items failed", len(failed))
				for _, c := range failed {
					assert.Equal(t, c.Cause, backends.CauseTimeout)
					errortest.Says(t, errors.New(c.Error), "limited: every request has been refused", "slow down")
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
		err := r.Generate(ctx, manyRequests(30), func(backends.Completion) error { return nil })
		assert.Check(t, errors.Is(err, context.DeadlineExceeded) && time.Since(r.began) == 10*time.Second,
			"after %v: %v", time.Since(r.began), err)
	})
}

// TestOnlyAnswersCountForAnItemsTime has a limit that the last items wait for longer than an item may take.
func TestOnlyAnswersCountForAnItemsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limited{answer: each(perItem), pause: 30 * time.Second, takes: spaced(30 * time.Second)}
		l.room(t, 64).answered(t, 64)
	})
}

func retryAfter(pause time.Duration) http.Header {
	if pause == 0 {
		return http.Header{}
	}
	return http.Header{"Retry-After": {fmt.Sprint(pause.Seconds())}}
}

func TestWhatAPauseMeans(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		status int
		header string
		words  string
		busy   bool
		pause  time.Duration
	}{
		{429, "", "", true, 0},
		{429, "1", "", true, time.Second},
		{429, "0", "", true, 0},
		{429, "-7", "", true, 0},
		{429, "soon", "", true, 0},
		{429, "1e300", "", true, 365 * 24 * time.Hour},
		{429, "0.4", "", true, 400 * time.Millisecond},
		{429, "", "Please try again in 7m12.5s.", true, 7*time.Minute + 12500*time.Millisecond},
		{429, "", "Please retry after 2 seconds.", true, 2 * time.Second},
		{429, "", "please try again in 350ms", true, 350 * time.Millisecond},
		{429, "2", "try again in 5s", true, 2 * time.Second},
		{503, "86400", "", true, 24 * time.Hour},
		{503, "", "", false, 0},
		{500, "5", "", false, 5 * time.Second},
		{429, now.Add(90 * time.Second).UTC().Format(http.TimeFormat), "", true, 90 * time.Second},
	} {
		e := (&servers.Refusal{Code: c.status, Header: http.Header{"Retry-After": {c.header}}, Words: c.words}).Means(now)
		assert.Check(t, e.Busy == c.busy && (e.Pause-c.pause).Abs() < 2*time.Second &&
			(c.pause == 0) == (e.Pause == 0), "status %d, %q, %q: busy %t, for %v", c.status, c.header, c.words, e.Busy, e.Pause)
	}
}
