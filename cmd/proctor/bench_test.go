package main

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"proctor/runner/bench"
)

func TestRangesAreLlamaBenchs(t *testing.T) {
	for text, want := range map[string][]int{
		"512": {512}, "0": {0}, "3-5": {3, 4, 5}, "128-512+128": {128, 256, 384, 512}, "1-16*2": {1, 2, 4, 8, 16}, "1-10*3": {1, 3, 9},
	} {
		if got, err := span(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "give a number", "x": "give a number", "-1": "give a number", "1-": "give a number", "1-4/2": "give a number", "99999999999": "give a number",
		"5-3": "ends before it begins", "0-8*2": "does not end", "1-8+0": "does not end", "1-8*1": "does not end", "1-100000": "more than 1000",
	} {
		if got, err := span(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %q", text, got, err, want)
		}
	}
}

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
	p := program{stdout: out, stderr: &stderr, terminal: true, now: time.Now}
	args := []string{"proctor", "bench", "-p", "16", "-n", "100000", "-r", "1", "-t", "1"}
	app := p.app()
	err := app.RunContext(ctx, interspersed(app, args))
	if !errors.Is(err, errInterrupted) || exitCode(err) != exitInterrupted {
		t.Errorf("got %v", err)
	}
	if got := out.rows.String(); !strings.Contains(got, "pp16 |") || strings.Contains(got, "tg100000") || !strings.HasSuffix(got, "\nbuild: ec98e2002 (0)\n") {
		t.Errorf("printed\n%s", got)
	}
	if !strings.Contains(stderr.String(), "1/2  embedded  pp16  1/1") || !strings.HasSuffix(stderr.String(), "\r\x1b[K") {
		t.Errorf("progress %q", stderr.String())
	}
}

func TestTheETAComesFromWhatWasMeasured(t *testing.T) {
	now := time.Unix(0, 0)
	var out bytes.Buffer
	p := program{stderr: &out, terminal: true, now: func() time.Time { return now }}.pace(3)
	prompt, steps := work{name: "pp100", repeats: 2, prompt: 100}, work{name: "tg10", repeats: 2, steps: 10}
	p.left = p.left.plus(prompt).plus(steps).plus(prompt)
	run := func(took time.Duration, want time.Duration) {
		t.Helper()
		now = now.Add(took)
		p.step(false)
		if got := p.eta(); got.Round(time.Millisecond) != want {
			t.Errorf("ETA %v, want %v", got, want)
		}
	}
	p.begin("m", prompt)
	now = now.Add(time.Hour)
	p.step(true)
	run(time.Second, 5*time.Second) // three such runs more, and two whose tokens are ten times fewer and dearer
	run(time.Second, 4*time.Second)
	p.begin("m", steps)
	run(4*time.Second, 6*time.Second) // it takes four seconds instead of one, then two runs of the first kind
	if !strings.Contains(out.String(), "\r2/3  m  tg10  2/2  ETA 6s\x1b[K") {
		t.Errorf("%q", out.String())
	}
	run(4*time.Second, 2*time.Second)
}

func TestEveryFlagOfOneBenchmarkIsRefusedByTheOthers(t *testing.T) {
	for kind, others := range map[string]string{"": "--npp 8|--pps|--slots 2|--questions 3", "--batched": "-p 8|-pg 8,8|--own 8", "--exam": "-n 8|-d 8|-npl 8|-fa 1|-ctv f16"} {
		for other := range strings.SplitSeq(others, "|") {
			args := slices.Concat([]string{"proctor", "bench"}, strings.Fields(kind), strings.Fields(other))
			p := program{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, now: time.Now}
			app := p.app()
			if err := app.RunContext(context.Background(), interspersed(app, args)); err == nil || !strings.Contains(err.Error(), "go") {
				t.Errorf("%v: %v", args, err)
			}
		}
	}
}

func TestFormatsOfRowsAreInTheHelp(t *testing.T) {
	for _, flag := range benchFlags() {
		if slices.Contains(flag.Names(), "output") && !strings.Contains(flag.String(), strings.Join(bench.Formats, ", ")) {
			t.Errorf("help says %q", flag.String())
		}
	}
}
