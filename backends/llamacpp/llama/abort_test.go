package llama

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
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
