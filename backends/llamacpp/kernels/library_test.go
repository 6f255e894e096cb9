//go:build cgo

package kernels_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/kernels/kernelstest"
)

// changes are functions of a ggml that is another one's, and what is said of it.
var changes = map[string]string{
	"":                                "takes MUL_MAT MUL_MAT_ID FLASH_ATTN_EXT ROPE RMS_NORM NORM SOFT_MAX GLU UNARY",
	"ggml_rope_ext":                   "takes MUL_MAT MUL_MAT_ID FLASH_ATTN_EXT RMS_NORM NORM SOFT_MAX GLU UNARY",
	"ggml_op_name":                    "takes MUL_MAT FLASH_ATTN_EXT ROPE RMS_NORM NORM SOFT_MAX GLU UNARY",
	"ggml_tensor_overhead":            "its tensors take 376 bytes, not 368",
	"ggml_type_name":                  "its type 12 is not q4_K",
	"ggml_view_1d":                    "its views have other fields",
	"ggml_backend_buft_get_alignment": "its buffer types have other functions",
	"ggml_backend_tensor_set":         "its buffers have other functions",
	"ggml_threadpool_chunk_add":       "its threads are told otherwise what to compute",
	"ggml_barrier":                    "it has no ggml_barrier",
	"larger buffer types":             "takes MUL_MAT MUL_MAT_ID FLASH_ATTN_EXT ROPE RMS_NORM NORM SOFT_MAX GLU UNARY",
	"an added function of buffers":    "its buffer types have a function that is not known, at 2",
}

// A ggml that has changed is refused before anything is computed with it, or what has changed is left to it.
func TestWhatIsOtherwiseInAGGMLIsRefused(t *testing.T) {
	for changed, want := range changes {
		got := kernelstest.LibraryWith(changed)
		assert.Check(t, got == want, "with another %q: %q, want %q", changed, got, want)
	}
	err := kernels.Add(0)
	assert.Check(t, err != nil, "nothing was taken for a ggml")
}
