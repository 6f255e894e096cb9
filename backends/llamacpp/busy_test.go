package llamacpp

import (
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
)

// turns is a watch that gives an engine all of its threads and one in turn, and counts the batches.
type turns struct{ calls, most int }

func (w *turns) Threads(most int) int {
	w.calls, w.most = w.calls+1, most
	return 1 + w.calls%2*(most-1)
}

// Prompts, tokens and benchmarks are computed on the threads that the watch says, from batch to batch.
func TestEachBatchIsComputedOnTheThreadsThatTheWatchSays(t *testing.T) {
	m := open(t, Options{Settings: backends.Settings{Threads: 2, Slots: 2}, Batch: 32})
	want := generate(t, m, fewShot(1, 3, 60, 24)...)
	var watch turns
	m.requested.Watch = &watch
	_, err := m.Plan(t.Context(), backends.Workload{})
	assert.NilError(t, err)
	got := generate(t, m, fewShot(1, 3, 60, 24)...)
	for i := range want {
		assert.Check(t, got[i].Text == want[i].Text || DefaultKernels() == KernelsGGML,
			"on one and two threads in turn: %q, on two: %q", got[i].Text, want[i].Text)
	}
	assert.Check(t, watch.calls >= 10 && watch.most == 2, "the watch was asked %d times, for at most %d threads", watch.calls, watch.most)
	watch.calls = 0
	settings := plainBench()
	settings.Threads = 2
	test := backends.EngineTest{Prompt: 3 * settings.Batch, Generate: 2, Repetitions: 2}
	if _, err := m.RunTest(t.Context(), settings, test, func(bool) {}); err != nil || watch.calls != 2*(3+2) {
		t.Errorf("a benchmark asked the watch %d times for 10 batches, %v", watch.calls, err)
	}
}

// A number of threads that people gave is kept: nothing watches for it.
func TestGivenThreadsAreKept(t *testing.T) {
	left, err := Open(t.Context(), Options{Path: tinyPath(t)})
	assert.NilError(t, err)
	defer left.Close()
	for _, test := range []struct {
		m      *Model
		yields bool
	}{{open(t, Options{Settings: backends.Settings{Threads: 2}}), false}, {left, true}} {
		_, err := test.m.Plan(t.Context(), backends.Workload{})
		assert.NilError(t, err)
		test.m.Others()
		generate(t, test.m, fewShot(1, 1, 20, 8)...)
		load := test.m.Others()
		if load.CPUs == 0 {
			t.Skip("this system does not tell")
		}
		assert.Check(t, (load.MostThreads > 0) == test.yields && (test.m.settings.Watch != nil) == test.yields,
			"yields %t: %+v", test.yields, load)
	}
}
