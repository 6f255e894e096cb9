package servers

import (
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/scripts/tests/errortest"
)

// Two answers that a server writes beside each other have half of its time each, as long as both are written.
func TestSharesOfAServersTimeAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l load
		began := time.Now()
		time.Sleep(time.Second) // the prompt
		long := l.begin()
		time.Sleep(2 * time.Second)
		short := l.begin()
		time.Sleep(4 * time.Second)
		short.end()
		time.Sleep(3 * time.Second)
		long.end()
		long.end() // as a deferred call may
		after := l.begin()
		time.Sleep(time.Second)
		after.end()

		for name, c := range map[string]struct {
			share         *share
			decode, first time.Duration
		}{
			"long":  {long, 2*time.Second + 4*time.Second/2 + 3*time.Second, time.Second},
			"short": {short, 4 * time.Second / 2, 3 * time.Second},
			"after": {after, time.Second, 10 * time.Second},
		} {
			got := c.share.timing(began, began, &Told{})
			diff := (got.Decode - c.decode).Abs()
			assert.Check(t, diff <= time.Microsecond, "%s: %s of the server's time, not %s", name, got.Decode, c.decode)
			assert.Check(t, got.FirstToken == c.first, "%s: the first token after %s", name, got.FirstToken)
		}
	})
}

func TestACutPromptInAHundredStopsTheRun(t *testing.T) {
	cut := outcome{failed: &Error{Cause: backends.CauseTruncated, Text: "read 5 of 9"}}
	other := outcome{failed: &Error{Cause: backends.CauseEngine, Text: "broken"}}
	v := verdict{remedy: "widen it"}
	for range 2 { // the longest may come first
		assert.NilError(t, v.see(cut))
	}
	for range 200 {
		assert.NilError(t, v.see(outcome{}))
		assert.NilError(t, v.see(other))
	}
	for i := range 2 {
		assert.NilError(t, v.see(cut), "%d of %d cut", i+3, 403+i)
	}
	errortest.Says(t, v.see(cut), "5 of 405 prompts did not fit the server's context", "widen it")
}
