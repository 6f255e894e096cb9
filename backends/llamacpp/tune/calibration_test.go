package tune

import (
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
)

func TestSettingsAreChangedOnlyForAGain(t *testing.T) {
	slow, fast := Pace{Prefill: 100, Decode: 10}, Pace{Prefill: 100, Decode: 20}
	w := backends.Workload{Requests: 10, PromptTokens: 500, UniqueTokens: 2000, MaxTokens: 1000}
	if got, want := slow.seconds(w), 200.0/100+backends.AssumedOutput/10.0; got != want {
		t.Errorf("%g s a request, want %g", got, want)
	}
	w.UniqueTokens = 0
	got, want := fast.seconds(w), 100.0/100+backends.AssumedOutput/20.0
	assert.Check(t, got == want, "%g s a request, want %g", got, want)
}
