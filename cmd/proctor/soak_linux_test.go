//go:build cgo

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels/kernelstest"
	"proctor/cmd/proctor/console"
	"proctor/scripts/tests/sharedtest"
)

// A usage is the resources that the process holds after a run: open files, threads, bytes that C allocated, bytes of mapped files.
type usage struct{ descriptors, threads, heap, mapped int }

// exactHeap keeps glibc from caching freed memory in each thread, which counts as allocated: some 100 KB at random.
const exactHeap = "GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0"

// TestRunsLeaveNothingBehind has 12 runs in one process, 16 in make check, many of them cancelled at random, and checks what they leave
// behind. SOAK prolongs it; `make soak` sets 30m.
func TestRunsLeaveNothingBehind(t *testing.T) {
	name, value, _ := strings.Cut(exactHeap, "=")
	if os.Getenv(name) != value { // glibc reads it at a program's start
		again := exec.Command(os.Args[0], "-test.run=^TestRunsLeaveNothingBehind$", "-test.v", "-test.timeout=0")
		again.Env = append(os.Environ(), exactHeap)
		output, err := again.CombinedOutput()
		if t.Logf("%s", output); err != nil || !strings.Contains(string(output), "runs, ") {
			t.Fatalf("with %s: %v", exactHeap, err)
		}
		return
	}
	lasts := time.Duration(0)
	if text := os.Getenv("SOAK"); text != "" {
		var err error
		if lasts, err = time.ParseDuration(text); err != nil {
			t.Fatalf("SOAK=%s: give a time, as in 30m", text)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	var seen []usage
	cancelled := 0
	for began := time.Now(); time.Since(began) < lasts || len(seen) < sharedtest.Count(12, 16); {
		ctx, cancel := context.WithCancelCause(context.Background())
		stop := time.AfterFunc(time.Duration(random.Int64N(int64(400*time.Millisecond))), func() { cancel(console.ErrInterrupted) })
		out := filepath.Join(t.TempDir(), "run")
		args := []string{"proctor", "run", "--quiet", "--limit", "10", "--shots", "1", "--max-tokens", "100", "--ctx", "2048",
			"--slots", "4", "--out", out}
		p := &console.Program{Stdout: io.Discard, Stderr: io.Discard, Now: time.Now, Args: args, Exit: func(int) {}}
		app := commandLine(p)
		if err := app.RunContext(ctx, args); err != nil {
			if console.ExitCode(console.Interruption(ctx, err)) != console.ExitInterrupted {
				t.Fatal(err)
			}
			cancelled++
		}
		stop.Stop()
		cancel(nil)
		os.RemoveAll(out)
		seen = append(seen, now(t))
	}
	// The first runs load what stays: kernels, the C library's arenas.
	quarter := len(seen) / 4
	early, late := middle(seen[quarter:2*quarter]), middle(seen[3*quarter:])
	t.Logf("%d runs, %d of them cancelled; after a quarter %+v, at the end %+v", len(seen), cancelled, early, late)
	assert.Check(t, late.descriptors <= early.descriptors && late.threads <= early.threads+4,
		"descriptors or threads grow: %+v, then %+v", early, late)
	// llama.cpp itself leaks about 100 bytes for each of the 64 tensors that it loads, 6,608 in all: ggml_backend_buffer_free does not
	// delete an empty buffer. And a thread keeps 16,640 bytes from its first run.
	const eachRun, eachThread = 8 << 10, 20 << 10
	if grown := medianGrowth(seen); grown > eachRun {
		t.Errorf("C's memory grows by %d bytes in most runs: %+v", grown, seen)
	}
	between := len(seen) / 2
	if grown := late.heap - early.heap; grown > between*eachRun+late.threads*eachThread {
		t.Errorf("C's memory grows by %d bytes in %d runs: %+v", grown, between, seen)
	}
	assert.Check(t, late.mapped <= early.mapped, "files stay in memory: %+v, then %+v", early, late)
}

// now is the process's current usage.
func now(t *testing.T) usage {
	t.Helper()
	runtime.GC() // frees what only a finaliser frees
	count := func(folder string) int {
		entries, err := os.ReadDir(folder)
		assert.NilError(t, err)
		return len(entries)
	}
	heap, _ := kernelstest.HeapInUse()
	return usage{descriptors: count("/proc/self/fd"), threads: count("/proc/self/task"), heap: heap, mapped: mapped(t)}
}

// mapped counts the bytes of files that are mapped into memory: programs, libraries and models.
func mapped(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	assert.NilError(t, err)
	var bytes int
	for line := range strings.Lines(string(maps)) {
		var from, to uint64
		var inode int
		var rights, offset, device string
		if _, err := fmt.Sscanf(line, "%x-%x %s %s %s %d", &from, &to, &rights, &offset, &device, &inode); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if inode != 0 {
			bytes += int(to - from)
		}
	}
	return bytes
}

// medianGrowth is the median growth of C's memory by one run, in bytes.
func medianGrowth(all []usage) int {
	var grown []int
	for i := range all[1:] {
		grown = append(grown, all[i+1].heap-all[i].heap)
	}
	slices.Sort(grown)
	return grown[len(grown)/2]
}

// middle is the median of each resource.
func middle(all []usage) usage {
	median := func(of func(usage) int) int {
		values := make([]int, len(all))
		for i, u := range all {
			values[i] = of(u)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return usage{
		median(func(u usage) int { return u.descriptors }), median(func(u usage) int { return u.threads }),
		median(func(u usage) int { return u.heap }), median(func(u usage) int { return u.mapped }),
	}
}

// TestTheMainStoriesNeedNoNetwork runs them in a network name space without a route.
func TestTheMainStoriesNeedNoNetwork(t *testing.T) {
	t.Parallel()
	alone := []string{"--net"}
	if os.Getuid() != 0 {
		alone = append(alone, "--map-root-user")
	}
	shell := func(line string) ([]byte, error) {
		return exec.Command("unshare", append(alone, "sh", "-c", line)...).CombinedOutput()
	}
	if _, err := shell("true"); err != nil {
		t.Skipf("needs a network name space of its own: %v", err)
	}
	folder := t.TempDir()
	a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	short := "proctor run --quiet --limit 2 --shots 1 --max-tokens 16 --out "
	for _, line := range []string{
		short + a, short + b + " --threads 1", "proctor run --resume " + a,
		"proctor report " + a + " --format html", "proctor compare " + a + " " + b, "proctor inspect embedded",
		"proctor doctor", "proctor data check", "proctor data stats", "proctor render --question 1",
		"proctor plan --half-width 5pp", "proctor models", "proctor rules", "proctor bench -p 8 -n 2 -r 1",
	} {
		out, err := shell(line)
		assert.Check(t, err, "%s:\n%s", line, out)
	}
}
