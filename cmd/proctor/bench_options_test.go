package main

import (
	"fmt"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/registry"
)

func TestTestsComputeAsARunDoes(t *testing.T) {
	var ggml registry.Options
	ggml.Kernels = ggmlKernels
	for _, test := range []struct {
		o    benchOptions
		want string
	}{
		{benchOptions{}, "proctor true [flash_attn kernels]"},
		{benchOptions{likeLlama: true}, "ggml false []"},
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
