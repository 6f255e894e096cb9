package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
)

// interrupter receives the rows, and interrupts after the first one.
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
	out := &interrupter{interrupt: func() { cancel(console.ErrInterrupted) }}
	var stderr bytes.Buffer
	p := &console.Program{Stdout: out, Stderr: &stderr, Terminal: true, Now: time.Now}
	args := []string{"proctor", "bench", "-p", "16", "-n", "100000", "-r", "1", "-t", "1"}
	app := commandLine(p)
	err := app.RunContext(ctx, args)
	assert.Check(t, errors.Is(err, console.ErrInterrupted) && console.ExitCode(err) == console.ExitInterrupted, "got %v", err)
	if got := out.rows.String(); !strings.Contains(got, "pp16 |") || strings.Contains(got, "tg100000") ||
		!strings.HasSuffix(got, "\nbuild: ec98e2002\n") {
		t.Errorf("printed\n%s", got)
	}
	assert.Check(t, strings.Contains(stderr.String(), "1/2  embedded  pp16  1/1") && strings.HasSuffix(stderr.String(), "\r\x1b[K"),
		"progress %q", stderr.String())
}

func TestTestsComputeAsARunDoes(t *testing.T) {
	var ggml registry.Options
	ggml.Kernels = ggmlKernels
	for _, test := range []struct {
		o    benchOptions
		want string
	}{
		{benchOptions{}, "proctor true [flash_attn kernels]"},
		{benchOptions{model: ggml}, "ggml false [kernels]"},
	} {
		test.o.prompt = 512
		assert.NilError(t, test.o.complete(registry.Engine{Cores: 2, Kernels: "proctor"}))
		s := test.o.settings()
		got := fmt.Sprint(s.Kernels, " ", s.FlashAttention, " ", test.o.show)
		assert.Check(t, got == test.want && s.Threads == 2 && s.Batch == 2048, "got %s, %+v; want %s", got, s, test.want)
		tests := test.o.tests()
		assert.Check(t, len(tests) == 1 && tests[0].Repetitions == 5 && tests[0].WarmUp, "%+v", tests)
	}
}
