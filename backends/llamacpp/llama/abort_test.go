package llama

import "testing"

func TestWhyTheEngineGaveUpIsALineThatNamesTheModels(t *testing.T) {
	const todo = ": the file is damaged, or this version of llama.cpp cannot compute such a model: download it again, or choose another one"
	a, b := listen("b.gguf", nil), listen("a.gguf", nil)
	defer a.Close()
	defer b.Close()
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
	} {
		if got := abortReason(test.text, test.paths).Error(); got != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}
