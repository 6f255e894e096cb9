package main

import (
	"fmt"
	"testing"

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
		if err := test.o.complete(registry.Engine{Cores: 2, Kernels: "proctor"}); err != nil {
			t.Fatal(err)
		}
		s := test.o.settings()
		if got := fmt.Sprint(s.Kernels, " ", s.FlashAttention, " ", test.o.show); got != test.want || s.Threads != 2 || s.Batch != 2048 {
			t.Errorf("got %s, %+v; want %s", got, s, test.want)
		}
		if tests := test.o.tests(); len(tests) != 1 || tests[0].Repetitions != 5 || !tests[0].WarmUp {
			t.Errorf("%+v", tests)
		}
	}
}
