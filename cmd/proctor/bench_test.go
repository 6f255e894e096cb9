package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/bench"
)

// interrupter is where rows go; after the first one it interrupts.
type interrupter struct {
	rows      bytes.Buffer
	interrupt func()
}

func (i *interrupter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("pp16")) {
		i.interrupt()
	}
	return i.rows.Write(p)
}

func TestAnInterruptedBenchmarkPrintsTheRowsThatAreDone(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	out := &interrupter{interrupt: func() { cancel(errInterrupted) }}
	var stderr bytes.Buffer
	p := &program{stdout: out, stderr: &stderr, terminal: true, now: time.Now}
	args := []string{"proctor", "bench", "-p", "16", "-n", "100000", "-r", "1", "-t", "1"}
	app := p.app()
	err := app.RunContext(ctx, flags.Interspersed(app, args))
	if !errors.Is(err, errInterrupted) || exitCode(err) != exitInterrupted {
		t.Errorf("got %v", err)
	}
	if got := out.rows.String(); !strings.Contains(got, "pp16 |") || strings.Contains(got, "tg100000") ||
		!strings.HasSuffix(got, "\nbuild: ec98e2002 (0)\n") {
		t.Errorf("printed\n%s", got)
	}
	if !strings.Contains(stderr.String(), "1/2  embedded  pp16  1/1") || !strings.HasSuffix(stderr.String(), "\r\x1b[K") {
		t.Errorf("progress %q", stderr.String())
	}
}

func TestEveryFlagOfOneBenchmarkIsRefusedByTheOthers(t *testing.T) {
	for kind, others := range map[string]string{
		"": "--npp 8|--pps|--slots 2|--questions 3", "--batched": "-p 8|-pg 8,8|--own 8", "--exam": "-n 8|-d 8|-npl 8|-fa 1|-ctv f16",
	} {
		for other := range strings.SplitSeq(others, "|") {
			args := slices.Concat([]string{"proctor", "bench"}, strings.Fields(kind), strings.Fields(other))
			p := &program{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, now: time.Now}
			app := p.app()
			if err := app.RunContext(context.Background(), flags.Interspersed(app, args)); err == nil || !strings.Contains(err.Error(), "go") {
				t.Errorf("%v: %v", args, err)
			}
		}
	}
}

func TestEachModelHasTheWaysThatApplyToIt(t *testing.T) {
	o := benchOptions{
		eval: true, models: []string{"folder/a.gguf", "ollama:b"}, given: []string{"slots", "concurrency", "kernels"},
		gpuLayers: []int{0}, batches: []int{0}, microbatches: []int{0}, threads: []int{2}, keys: []string{"f16"},
		kernels: []string{"ggml", flags.Auto}, slots: []int{plainLoop, autoSlots, 8}, concurrency: []int{1, 4},
	}
	var got []string
	for _, way := range o.ways() {
		got = append(got, fmt.Sprintf("%s (%s %d %d %t)", way.name, way.Kernels, way.Slots, way.Concurrency, way.Tune))
	}
	want := []string{
		"a.gguf, plain loop, ggml (ggml 1 0 false)", "a.gguf, auto, ggml (ggml 0 0 true)", "a.gguf, slots 8, ggml (ggml 8 0 false)",
		"a.gguf, plain loop, auto ( 1 0 false)", "a.gguf, auto, auto ( 0 0 true)", "a.gguf, slots 8, auto ( 8 0 false)",
		"ollama:b, in flight 1 ( 0 1 false)", "ollama:b, in flight 4 ( 0 4 false)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	o.models, o.kernels = o.models[:1], []string{flags.Auto}
	if way := o.ways()[0]; way.name != "plain loop" || !way.plain || way.Like == nil || !slices.Equal(way.Given, []string{"concurrency"}) {
		t.Errorf("%+v", way)
	}
	o.slots = []int{plainest}
	if way := o.ways()[0]; way.name != "plain loop, fa 0" || !way.plain || way.Like.FlashAttention || way.Kernels != ggmlKernels {
		t.Errorf("without flash attention: %+v", way)
	}
}

func TestFlashAttentionIsOnWithTheKernelsThatHaveIt(t *testing.T) {
	for _, test := range []struct {
		asked []int
		want  string
	}{{nil, "[ggml false proctor true]"}, {[]int{0}, "[ggml false proctor false]"}, {[]int{1}, "[ggml true proctor true]"}} {
		var got []any
		for _, kernels := range []string{ggmlKernels, "proctor"} {
			o := benchOptions{flash: test.asked, kernels: []string{kernels}, given: []string{"kernels"}}
			if err := o.complete(registry.Engine{Cores: 2}); err != nil {
				t.Fatal(err)
			}
			for _, c := range o.cases(backends.EngineSettings{Kernels: kernels})[:1] {
				got = append(got, c.Settings.Kernels, c.Settings.FlashAttention)
			}
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("asked for %v: %v, want %s", test.asked, got, test.want)
		}
	}
}

func TestFormatsOfRowsAreInTheHelp(t *testing.T) {
	for _, flag := range new(benchOptions).flags() {
		if slices.Contains(flag.Names(), "output") && !strings.Contains(flag.String(), strings.Join(bench.Formats, ", ")) {
			t.Errorf("help says %q", flag.String())
		}
	}
}
