package llamacpp

import (
	"fmt"
	"os/exec"
	"slices"
	"testing"
	"time"

	"proctor/backends"
)

// BenchmarkBesideBusyLoops reports what share of its quiet speed a model keeps on two cores beside programs that compute all the time:
// the median of rounds, each quiet first. It means something on a quiet machine alone, with -benchtime 5x, and on two cores:
// where there are more, begin it with taskset.
func BenchmarkBesideBusyLoops(b *testing.B) {
	path, err := large()
	if err != nil {
		b.Fatal(err)
	}
	for _, loops := range []int{1, 3} {
		b.Run(fmt.Sprint("loops=", loops), func(b *testing.B) {
			var kept []float64
			for range b.N {
				quiet := answering(b, path)
				stop := spin(b, loops)
				kept = append(kept, quiet.Seconds()/answering(b, path).Seconds())
				stop()
			}
			slices.Sort(kept)
			b.ReportMetric(kept[len(kept)/2], "of-quiet-speed")
		})
	}
}

// answering is how long a model, opened with as many threads as it likes, takes to answer questions.
func answering(b *testing.B, path string) time.Duration {
	b.Helper()
	m, err := Open(b.Context(), Options{Path: path, Slots: 8, Context: 2048})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Info(b.Context()); err != nil { // the digest would compute beside the answers
		b.Fatal(err)
	}
	if _, err := m.Plan(b.Context(), backends.Workload{}); err != nil {
		b.Fatal(err)
	}
	requests := fewShot(1, 16, 330, 70)
	capped(requests, 64)
	m.Others()
	began := time.Now()
	generate(b, m, requests...)
	took := time.Since(began)
	b.Logf("%.1f s: %s", took.Seconds(), m.Others())
	return took
}

// spin begins programs that compute until they are stopped. They are processes, since what this one computes is no other program's.
func spin(b *testing.B, n int) (stop func()) {
	b.Helper()
	var all []*exec.Cmd
	for range n {
		loop := exec.CommandContext(b.Context(), "sh", "-c", "while :; do :; done")
		if err := loop.Start(); err != nil {
			b.Fatal(err)
		}
		all = append(all, loop)
	}
	return func() {
		for _, loop := range all {
			_ = loop.Process.Kill()
			_ = loop.Wait()
		}
	}
}

// turns is a watch that gives an engine all of its threads and one in turn, and counts the batches.
type turns struct{ asked, most int }

func (w *turns) Threads(most int) int {
	w.asked, w.most = w.asked+1, most
	return 1 + w.asked%2*(most-1)
}

// Prompts, tokens and benchmarks are computed on the threads that the watch says, from batch to batch.
func TestEachBatchIsComputedOnTheThreadsThatTheWatchSays(t *testing.T) {
	m := open(t, Options{Threads: 2, Slots: 2, Batch: 32})
	want := generate(t, m, fewShot(1, 3, 60, 24)...)
	var watch turns
	m.asked.Watch = &watch
	if _, err := m.Plan(t.Context(), backends.Workload{}); err != nil {
		t.Fatal(err)
	}
	got := generate(t, m, fewShot(1, 3, 60, 24)...)
	for i := range want {
		if got[i].Text != want[i].Text && DefaultKernels() != KernelsGGML {
			t.Errorf("on one and two threads in turn: %q, on two: %q", got[i].Text, want[i].Text)
		}
	}
	if watch.asked < 10 || watch.most != 2 {
		t.Errorf("the watch was asked %d times, for at most %d threads", watch.asked, watch.most)
	}
	watch.asked = 0
	settings := plainBench()
	settings.Threads = 2
	test := backends.EngineTest{Prompt: 3 * settings.Batch, Generate: 2, Repetitions: 2}
	if _, err := m.RunTest(t.Context(), settings, test, func(bool) {}); err != nil || watch.asked != 2*(3+2) {
		t.Errorf("a benchmark asked the watch %d times for 10 batches, %v", watch.asked, err)
	}
}

// A number of threads that people gave is kept: nothing watches for it.
func TestGivenThreadsAreKept(t *testing.T) {
	given, left := open(t, Options{Threads: 2}), openYielding(t)
	for _, test := range []struct {
		m      *Model
		yields bool
	}{{given, false}, {left, true}} {
		if _, err := test.m.Plan(t.Context(), backends.Workload{}); err != nil {
			t.Fatal(err)
		}
		test.m.Others()
		generate(t, test.m, fewShot(1, 1, 20, 8)...)
		load := test.m.Others()
		if load.CPUs == 0 {
			t.Skip("this system does not tell")
		}
		if (load.MostThreads > 0) != test.yields || (test.m.settings.Watch != nil) != test.yields {
			t.Errorf("yields %t: %+v", test.yields, load)
		}
	}
}

func openYielding(t *testing.T) *Model {
	m, err := Open(t.Context(), Options{Path: tinyPath(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}
