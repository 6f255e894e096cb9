package selftest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends/embedded/selftest"
	"proctor/backends/llamacpp"
)

// childVariable has this test be the program that is asked to check its kernels, and says how it does.
const childVariable = "SELFTEST_CHILD"

func TestMain(m *testing.M) {
	how, asked := os.Getenv(childVariable), os.Args[len(os.Args)-1]
	switch how {
	case "":
		os.Exit(m.Run())
	case "right":
		fmt.Printf(`{"self_test": [{"kernels": %q, "level": %q, "items": 3}]}`, asked, os.Getenv("PROCTOR_KERNELS_LEVEL"))
	case "wrong":
		fmt.Printf(`{"self_test": [{"kernels": %q, "level": %q, "items": 3, "differences": [{"id": "sums/1", "at": 7}]}]}`,
			asked, os.Getenv("PROCTOR_KERNELS_LEVEL"))
		os.Exit(1)
	case "illegal":
		syscall.Kill(os.Getpid(), syscall.SIGILL)
		time.Sleep(time.Minute)
	case "killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "refused":
		fmt.Fprintln(os.Stderr, "a warning\nproctor: no such kernels")
		os.Exit(2)
	case "another":
		fmt.Print(`{"self_test": [{"kernels": "proctor", "level": "other", "items": 3}]}`)
	case "hangs":
		time.Sleep(time.Minute)
	}
}

func TestAProcessThatFailsIsAVerdict(t *testing.T) {
	program, err := os.Executable()
	assert.NilError(t, err)
	for how, want := range map[string]struct {
		ok   bool
		died string // what the verdict says of it
	}{
		"right":   {ok: true},
		"wrong":   {},
		"illegal": {died: "SIGILL: illegal instruction"},
		"killed":  {died: "signal: killed"},
		"refused": {died: "no such kernels"},
		"another": {died: `it wrote "{\"self_test\": `},
	} {
		t.Setenv(childVariable, how)
		var names []string
		err := selftest.Program{Path: program}.Check(t.Context(), func(v selftest.Verdict) {
			names = append(names, v.Name())
			assert.Check(t, v.OK() == want.ok && strings.HasPrefix(v.Died, want.died) && (want.died == "") == (v.Died == ""),
				"%s: %+v", how, v)
		})
		assert.Check(t, err == nil && len(names) != 0 && names[0] == "ggml", "%s: %v, checked %q", how, err, names)
	}
}

func TestAnInterruptEndsTheCheck(t *testing.T) {
	program, err := os.Executable()
	assert.NilError(t, err)
	t.Setenv(childVariable, "hangs")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, errors.New("interrupted"))
	defer cancel()
	err = selftest.Program{Path: program}.Check(ctx, func(v selftest.Verdict) { t.Errorf("a verdict: %+v", v) })
	assert.Check(t, err != nil && err.Error() == "interrupted", "ended with %v", err)
	_, err = selftest.Known().Check(ctx, llamacpp.Options{Threads: 1})
	assert.Check(t, err != nil && err.Error() == "interrupted", "in this process it ended with %v", err)
}
