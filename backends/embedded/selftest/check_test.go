//go:build unix

package selftest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/backends"
	"proctor/backends/embedded"
	"proctor/backends/embedded/selftest"
	"proctor/backends/llamacpp"
	"proctor/scripts/tests/sharedtest"
)

func check(t *testing.T, known selftest.Golden, options llamacpp.Options) selftest.Verdict {
	t.Helper()
	options.Threads = 1
	verdict, err := known.Check(t.Context(), options)
	assert.NilError(t, err)
	assert.Check(t, verdict.Items == len(known.Items) && verdict.Kernels != "",
		"asked %d of %d items with kernels %q", verdict.Items, len(known.Items), verdict.Kernels)
	return verdict
}

func TestTheControlModelWritesTheKnownTexts(t *testing.T) {
	known := selftest.Known()
	if golden.FlagUpdate() {
		write(t, known)
	}
	for _, options := range []llamacpp.Options{
		{Kernels: llamacpp.KernelsGGML, Slots: 1}, {Kernels: llamacpp.KernelsGGML}, {Slots: 8},
	} {
		if verdict := check(t, known, options); !verdict.OK() {
			t.Errorf("%d slots, %s: %v; where the control model is another one, go test -update writes the texts anew",
				options.Slots, verdict.Name(), verdict.Differences)
		}
	}
}

// A cache of 4 bits is off by far more than one kernel from another.
func TestTheTextsDoNotHangOnRounding(t *testing.T) {
	for _, options := range sharedtest.Few(2, []llamacpp.Options{
		{KVType: "k=f32,v=q4_0"}, {Kernels: llamacpp.KernelsGGML, KVType: "k=q8_0,v=q5_1"}, {KVType: "k=q8_0,v=q5_1"},
		{Kernels: llamacpp.KernelsGGML, KVType: "q8_0"}, {Kernels: llamacpp.KernelsGGML, KVType: "q4_0"},
	}) {
		verdict := check(t, selftest.Known(), options)
		assert.Check(t, verdict.OK(), "%s, %s: %v: take other items", options.KVType, verdict.Name(), verdict.Differences)
	}
}

// A golden with one wrong character stands for kernels with one wrong token.
func TestAWrongTextIsFound(t *testing.T) {
	known := selftest.Known()
	known.Items = known.Items[:3]
	at := strings.Index(known.Items[1].Text, "number")
	right := known.Items[1].Text[at:]
	known.Items[1].Text = strings.Replace(known.Items[1].Text, "number", "figure", 1)
	verdict := check(t, known, llamacpp.Options{})
	want := []selftest.Difference{{ID: known.Items[1].ID, At: at, Want: cut("figure" + right[len("number"):]), Got: cut(right)}}
	assert.Check(t, !verdict.OK() && reflect.DeepEqual(verdict.Differences, want), "got %+v, want %+v", verdict.Differences, want)
	line := verdict.Differences[0].String()
	assert.Check(t, strings.Contains(line, known.Items[1].ID) && strings.Contains(line, `"figure`), "told as %s", line)
}

func cut(text string) string { return text[:min(len(text), 32)] }

// write has the control model write the texts that are known from then on.
func write(t *testing.T, known selftest.Golden) {
	m, err := embedded.Open(t.Context(), llamacpp.Options{Kernels: llamacpp.KernelsGGML, Slots: 1})
	assert.NilError(t, err)
	defer m.Close()
	for i, item := range known.Items {
		prompt := known.Preambles[item.Subject] + item.Prompt
		request := backends.Request{ID: item.ID, Prompt: prompt, Stop: known.Stop, MaxTokens: known.MaxTokens}
		assert.NilError(t, m.Generate(t.Context(), slices.Values([]backends.Request{request}), func(c backends.Completion) error {
			known.Items[i].Text = c.Text
			return nil
		}))
	}
	var content bytes.Buffer
	encoder := json.NewEncoder(&content)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	assert.NilError(t, encoder.Encode(known))
	assert.NilError(t, os.WriteFile("golden.json", content.Bytes(), 0o644))
}

// childVariable has this test be the program that is asked to check its kernels, and says how it does.
const childVariable = "SELFTEST_CHILD"

func TestMain(m *testing.M) {
	how, name := os.Getenv(childVariable), os.Args[len(os.Args)-1]
	switch how {
	case "":
		os.Exit(m.Run())
	case "right":
		fmt.Printf(`{"self_test": [{"kernels": %q, "items": 3}]}`, name)
	case "wrong":
		fmt.Printf(`{"self_test": [{"kernels": %q, "items": 3, "differences": [{"id": "sums/1", "at": 7}]}]}`, name)
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
		fmt.Print(`{"self_test": [{"kernels": "other", "items": 3}]}`)
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
		all, err := selftest.Program{Path: program}.Check(t.Context())
		assert.Check(t, err == nil && len(all) != 0 && all[0].Kernels == "ggml", "%s: %v, checked %+v", how, err, all)
		for _, v := range all {
			assert.Check(t, v.OK() == want.ok && strings.HasPrefix(v.Died, want.died) && (want.died == "") == (v.Died == ""),
				"%s: %+v", how, v)
		}
	}
}

func TestAnInterruptEndsTheCheck(t *testing.T) {
	program, err := os.Executable()
	assert.NilError(t, err)
	t.Setenv(childVariable, "hangs")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, errors.New("interrupted"))
	defer cancel()
	_, err = selftest.Program{Path: program}.Check(ctx)
	assert.Check(t, err != nil && err.Error() == "interrupted", "ended with %v", err)
	_, err = selftest.Known().Check(ctx, llamacpp.Options{Threads: 1})
	assert.Check(t, err != nil && err.Error() == "interrupted", "in this process it ended with %v", err)
}
