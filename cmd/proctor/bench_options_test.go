package main

import (
	"fmt"
	"slices"
	"testing"

	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
)

func opened(slots int, kernels string) (o registry.Options) {
	o.Slots, o.Kernels = slots, kernels
	return o
}

func TestEachModelHasItsWay(t *testing.T) {
	for _, test := range []struct {
		o    benchOptions
		want []string
	}{
		{benchOptions{models: []string{"folder/a.gguf", "ollama:b"}}, []string{"a.gguf, auto", "ollama:b, auto"}},
		{benchOptions{models: []string{"a.gguf"}, model: opened(8, "")}, []string{"slots 8"}},
		{benchOptions{models: []string{"a.gguf"}, plain: true}, []string{"plain loop"}},
		{benchOptions{models: []string{"ollama:b"}, model: registry.Options{Concurrency: 4}}, []string{"in flight 4"}},
	} {
		var got []string
		for _, way := range ways(&console.Program{}, &test.o) {
			if way.Plain != test.o.plain {
				t.Errorf("%s: plain %t", way.Name, way.Plain)
			}
			got = append(got, way.Name)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestTestsComputeAsARunDoes(t *testing.T) {
	on, off := true, false
	for _, test := range []struct {
		o    benchOptions
		want string
	}{
		{benchOptions{}, "proctor true [flash_attn kernels]"},
		{benchOptions{flash: &off}, "proctor false [flash_attn kernels]"},
		{benchOptions{likeLlama: true}, "ggml false []"},
		{benchOptions{likeLlama: true, flash: &on}, "ggml true [flash_attn]"},
		{benchOptions{model: opened(0, ggmlKernels)}, "ggml false [kernels]"},
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
