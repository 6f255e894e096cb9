package servers_test

import (
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/scripts/tests/errortest"
)

// Two answers that a server writes beside each other have half of its time each, as long as both are written.
func TestSharesOfAServersTimeAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var load servers.Load
		began := time.Now()
		time.Sleep(time.Second) // the prompt
		long := load.Begin()
		time.Sleep(2 * time.Second)
		short := load.Begin()
		time.Sleep(4 * time.Second)
		short.End()
		time.Sleep(3 * time.Second)
		long.End()
		long.End() // as a deferred call may
		after := load.Begin()
		time.Sleep(time.Second)
		after.End()

		for name, c := range map[string]struct {
			share         *servers.Share
			decode, first time.Duration
		}{
			"long":  {long, 2*time.Second + 4*time.Second/2 + 3*time.Second, time.Second},
			"short": {short, 4 * time.Second / 2, 3 * time.Second},
			"after": {after, time.Second, 10 * time.Second},
		} {
			got := c.share.Timing(began, began, 0, 0, false)
			diff := (got.Decode - c.decode).Abs()
			assert.Check(t, diff <= time.Microsecond, "%s: %s of the server's time, not %s", name, got.Decode, c.decode)
			assert.Check(t, got.FirstToken == c.first, "%s: the first token after %s", name, got.FirstToken)
		}
	})
}

func TestACutPromptInAHundredStopsTheRun(t *testing.T) {
	cut := &servers.Error{Cause: backends.CauseTruncated, Text: "read 5 of 9"}
	other := &servers.Error{Cause: backends.CauseEngine, Text: "broken"}
	watch := servers.Truncations{Prefix: "test: ", What: "the context", Remedy: "widen it"}
	for range 2 { // the longest may come first
		assert.NilError(t, watch.See(cut))
	}
	for range 200 {
		assert.NilError(t, watch.See(nil))
		assert.NilError(t, watch.See(other))
	}
	for i := range 2 {
		assert.NilError(t, watch.See(cut), "%d of %d cut", i+3, 403+i)
	}
	errortest.Says(t, watch.See(cut), "test: 5 of 405 prompts did not fit the context", "widen it")
}
