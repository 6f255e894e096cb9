package llama

import (
	"log/slog"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/scripts/tests/errortest"
)

func TestWhyTheEngineGaveUpIsALineThatNamesTheModels(t *testing.T) {
	const todo = ": the file is damaged, or this version of llama.cpp cannot compute such a model: download it again, or choose another one"
	a, b := listen("b.gguf", nil), listen("a.gguf", nil)
	defer a.Close()
	defer b.Close()
	engineSays(levelError, "CUDA error: unsupported toolchain.\n")
	engineSays(levelError, "  current device: 0, in function f at common.cuh:1\n")
	for _, test := range []struct {
		text  string
		paths []string
		want  string
	}{
		{"/a/folder/ggml/src/ggml.c:3832: GGML_ASSERT(n > 0) failed", []string{"m.gguf"},
			"m.gguf: llama.cpp gave up: ggml.c:3832: GGML_ASSERT(n > 0) failed" + todo},
		{"vector::_M_range_check\nof two lines", openPaths(),
			"a.gguf or b.gguf: llama.cpp gave up: vector::_M_range_check of two lines" + todo},
		{"std::bad_alloc", nil, "no model is open: llama.cpp gave up: std::bad_alloc" + todo},
		{"/a/ggml-cuda/ggml-cuda.cu:108: CUDA error", []string{"m.gguf"},
			"m.gguf: llama.cpp gave up: ggml-cuda.cu:108: CUDA error: unsupported toolchain: the GPU did not compute: update its driver, " +
				"take a build of llama.cpp that is as old as the driver, or leave its layers on the CPU"},
	} {
		assert.Check(t, is.Equal(abortReason(test.text, test.paths).Error(), test.want), "%q", test.text)
	}
}

func TestBuiltinTemplatesWriteConversationsDown(t *testing.T) {
	names := Builtin().BuiltinTemplates()
	assert.Assert(t, slices.Contains(names, "chatml") && slices.Contains(names, "llama3"), "built-in templates %v", names)
	long := strings.Repeat("é", 5000)
	got, err := Builtin().ApplyBuiltinTemplate("chatml", []backends.Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: long}})
	want := "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n" + long + "<|im_end|>\n<|im_start|>assistant\n"
	assert.Check(t, err == nil && got == want, "error %v, text %.80q…", err, got)
	_, err = Builtin().ApplyBuiltinTemplate("haiku", nil)
	errortest.Says(t, err, `no built-in chat template "haiku"; there are `)
}

func TestFeaturesOfTheEngineAreRead(t *testing.T) {
	want := []string{"SSE3", "AVX2", "LLAMAFILE"}
	got := cpuOf("CPU : SSE3 = 1 | AVX2 = 1 | AVX512 = 0 | LLAMAFILE = 1 | ", true)
	assert.Check(t, slices.Equal(got.Compiled, want) && !slices.Contains(got.Unused, "AVX2"), "got %+v, want %v", got, want)
	c := cpuOf("CPU : SSE3 = 1 | ", false)
	assert.Check(t, len(c.Unused) == 0 && len(c.Compiled) == 1, "a library with a variant for each CPU: %+v", c)
	w := (CPU{Unused: []string{"AVX2"}}).Warning()
	assert.Check(t, strings.Contains(w, "AVX2") && strings.Contains(w, "make"), "warning %q", w)
}

func TestTheEnginesLinesReachEveryListener(t *testing.T) {
	type line struct {
		level slog.Level
		text  string
	}
	var one, two []line
	a := listen("", func(level slog.Level, text string) { one = append(one, line{level, text}) })
	defer a.Close()
	b := listen("", func(level slog.Level, text string) { two = append(two, line{level, text}) })
	say := func(level int, text string) { engineSays(level, text) }
	say(2, "an info\n")
	say(4, "an error ")
	say(5, "in pieces\n")
	say(2, "....")
	say(5, "....\n")
	b.Close()
	say(3, "a\r\n\twarning\n")
	want := []line{{slog.LevelInfo, "an info"}, {slog.LevelError, "an error in pieces"}, {slog.LevelWarn, "a warning"}}
	assert.Check(t, slices.Equal(one, want) && slices.Equal(two, want[:2]), "got %v and %v, want %v", one, two, want)
	got := a.reason("none")
	assert.Check(t, got == "an error in pieces" && a.reason("none") == "none", "reason %q", got)
}
