package benching

import (
	"fmt"
	"slices"
	"testing"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
)

func TestEachModelHasTheWaysThatApplyToIt(t *testing.T) {
	o := benchOptions{
		eval: true, models: []string{"folder/a.gguf", "ollama:b"}, given: []string{"slots", "concurrency", "kernels"},
		engines: []string{""}, gpuLayers: []int{0}, batches: []int{0}, microbatches: []int{0}, threads: []int{2}, keys: []string{"f16"},
		kernels: []string{"ggml", flags.Auto}, slots: []int{plainLoop, autoSlots, 8}, concurrency: []int{1, 4},
	}
	var got []string
	for _, way := range o.ways() {
		got = append(got, fmt.Sprintf("%s (%s %d %d %t)", way.name, way.Kernels, way.Slots, way.Concurrency, way.Tune))
	}
	want := []string{
		"a.gguf, plain loop, ggml (ggml 1 0 false)", "a.gguf, auto, ggml (ggml 0 0 true)", "a.gguf, slots 8, ggml (ggml 8 0 false)",
		"a.gguf, plain loop, auto ( 1 0 false)", "a.gguf, auto, auto ( 0 0 true)", "a.gguf, slots 8, auto ( 8 0 false)",
		"ollama:b, in flight 1 ( 0 1 false)", "ollama:b, in flight 4 ( 0 4 false)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	o.models, o.kernels = o.models[:1], []string{flags.Auto}
	if way := o.ways()[0]; way.name != "plain loop" || !way.plain || way.Like == nil || !slices.Equal(way.Given, []string{"concurrency"}) {
		t.Errorf("%+v", way)
	}
	o.slots = []int{plainest}
	if way := o.ways()[0]; way.name != "plain loop, fa 0" || !way.plain || way.Like.FlashAttention || way.Kernels != ggmlKernels {
		t.Errorf("without flash attention: %+v", way)
	}
}

func TestFlashAttentionIsOnWithTheKernelsThatHaveIt(t *testing.T) {
	for _, test := range []struct {
		asked []int
		want  string
	}{{nil, "[ggml false proctor true]"}, {[]int{0}, "[ggml false proctor false]"}, {[]int{1}, "[ggml true proctor true]"}} {
		var got []any
		for _, kernels := range []string{ggmlKernels, "proctor"} {
			o := benchOptions{flash: test.asked, kernels: []string{kernels}, given: []string{"kernels"}}
			if err := o.complete(registry.Engine{Cores: 2}); err != nil {
				t.Fatal(err)
			}
			for _, c := range o.cases(backends.EngineSettings{Kernels: kernels})[:1] {
				got = append(got, c.Settings.Kernels, c.Settings.FlashAttention)
			}
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("asked for %v: %v, want %s", test.asked, got, test.want)
		}
	}
}

func TestTestsComputeAsARunDoes(t *testing.T) {
	for _, test := range []struct {
		o    benchOptions
		want string
	}{
		{benchOptions{}, "proctor true [flash_attn kernels]"},
		{benchOptions{likeLlama: true}, "ggml false []"},
		{benchOptions{likeLlama: true, flash: []int{1}}, "ggml true [flash_attn]"},
	} {
		if err := test.o.complete(registry.Engine{Cores: 2, Kernels: "proctor"}); err != nil {
			t.Fatal(err)
		}
		c := test.o.cases(backends.EngineSettings{Kernels: test.o.kernels[0]})[0].Settings
		if got := fmt.Sprint(c.Kernels, " ", c.FlashAttention, " ", test.o.show); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}
