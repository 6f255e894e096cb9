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
	"proctor/backends/child"
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
		{Settings: backends.Settings{Kernels: llamacpp.KernelsGGML, Slots: 1}},
		{Settings: backends.Settings{Kernels: llamacpp.KernelsGGML}}, {Settings: backends.Settings{Slots: 8}},
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
		{Settings: backends.Settings{KVType: "k=f32,v=q4_0"}}, {Settings: backends.Settings{Kernels: llamacpp.KernelsGGML,
			KVType: "k=q8_0,v=q5_1"}}, {Settings: backends.Settings{KVType: "k=q8_0,v=q5_1"}},
		{Settings: backends.Settings{Kernels: llamacpp.KernelsGGML, KVType: "q8_0"}},
		{Settings: backends.Settings{Kernels: llamacpp.KernelsGGML, KVType: "q4_0"}},
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
	m, err := embedded.Open(t.Context(), llamacpp.Options{Settings: backends.Settings{Kernels: llamacpp.KernelsGGML,
		Slots: 1}})
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

// childVariable says how the process that checks goes about it; "": as proctor does.
const childVariable = "SELFTEST_CHILD"

func TestMain(m *testing.M) {
	task := selftest.Task
	if how := os.Getenv(childVariable); how != "" {
		task = child.Answering(task.Name, func(o llamacpp.Options, _ func(string)) (selftest.Verdict, error) {
			verdict := selftest.Verdict{Kernels: o.Kernels, Items: 3}
			switch how {
			case "wrong":
				verdict.Differences = []selftest.Difference{{ID: "sums/1", At: 7}}
			case "illegal":
				syscall.Kill(os.Getpid(), syscall.SIGILL)
				time.Sleep(time.Minute)
			case "killed":
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
			case "refused":
				fmt.Fprintln(os.Stderr, "a warning")
				return verdict, errors.New("no such kernels")
			case "hangs":
				time.Sleep(time.Minute)
			}
			return verdict, nil
		})
	}
	child.Main(task)
	os.Exit(m.Run())
}

func TestAProcessThatFailsIsAVerdict(t *testing.T) {
	for how, want := range map[string]struct {
		ok   bool
		died string // what the verdict says of it
	}{
		"right":   {ok: true},
		"":        {ok: true},
		"wrong":   {},
		"illegal": {died: "SIGILL: illegal instruction"},
		"killed":  {died: "killed by SIGKILL"},
		"refused": {died: "no such kernels"},
	} {
		t.Setenv(childVariable, how)
		v, err := selftest.Apart(t.Context(), llamacpp.Options{Settings: backends.Settings{Kernels: "ggml", Threads: 1}})
		assert.Check(t, err == nil && v.Kernels == "ggml" && v.OK() == want.ok && v.Differences != nil &&
			strings.HasPrefix(v.Died, want.died) &&
			(want.died == "") == (v.Died == ""), "%s: %+v, %v", how, v, err)
	}
}

func TestAnInterruptEndsTheCheck(t *testing.T) {
	t.Setenv(childVariable, "hangs")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, errors.New("interrupted"))
	defer cancel()
	_, err := selftest.Apart(ctx, llamacpp.Options{})
	assert.Check(t, err != nil && err.Error() == "interrupted", "ended with %v", err)
	_, err = selftest.Known().Check(ctx, llamacpp.Options{Settings: backends.Settings{Threads: 1}})
	assert.Check(t, err != nil && err.Error() == "interrupted", "in this process it ended with %v", err)
}
