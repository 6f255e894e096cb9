package memory

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/scripts/tests/errortest"
)

// TestLayersAreSharedAmongGPUs compares with where llama.cpp puts the layers of a model of five.
func TestLayersAreSharedAmongGPUs(t *testing.T) {
	for _, test := range []struct {
		name   string
		layers int
		free   []int64 // of each GPU
		want   []int   // of each layer and of the output
	}{
		{"none", 0, []int64{1}, []int{-1, -1, -1, -1, -1, -1}},
		{"no GPU", 3, nil, []int{-1, -1, -1, -1, -1, -1}},
		{"the last two, and not the output", 2, []int64{1}, []int{-1, -1, -1, 0, 0, -1}},
		{"all but the output", 5, []int64{1}, []int{0, 0, 0, 0, 0, -1}},
		{"all", 6, []int64{1}, []int{0, 0, 0, 0, 0, 0}},
		{"more than there are", 999, []int64{1}, []int{0, 0, 0, 0, 0, 0}},
		{"two alike", 6, []int64{8, 8}, []int{0, 0, 0, 1, 1, 1}},
		{"one of them larger", 6, []int64{20, 10}, []int{0, 0, 0, 0, 1, 1}},
		{"one without a share", 6, []int64{0, 1}, []int{1, 1, 1, 1, 1, 1}},
		{"some of them on two", 4, []int64{3, 1}, []int{-1, 0, 0, 0, 1, -1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := offload{layers: test.layers, blocks: 5}
			for _, free := range test.free {
				o.gpus = append(o.gpus, engine.Device{Free: free})
			}
			var got []int
			for layer := range 6 {
				got = append(got, o.of(layer))
			}
			assert.Check(t, slices.Equal(got, test.want), "layers on %v, want %v", got, test.want)
		})
	}
}

// onto plans the tiny model as if some of its layers went to GPUs that there are not.
func onto(t *testing.T, layers int, gpus ...engine.Device) *Planner {
	t.Helper()
	p := tiny(t)
	p.offload.gpus, p.offload.layers = gpus, layers
	return p
}

func TestAPlanCountsEachByteOnce(t *testing.T) {
	s := requested(3, 512)
	want := tiny(t).Allocate(s)
	a, b := engine.Device{Name: "A", Free: 1 << 30}, engine.Device{Name: "B", Free: 1 << 30}
	for layers := range 4 {
		for _, gpus := range [][]engine.Device{{a}, {a, b}} {
			got := onto(t, layers, gpus...).Allocate(s)
			weights, cache, on := got.Weights, got.KV, 0
			for _, d := range got.Devices {
				weights, cache, on = weights+d.Weights, cache+d.KV, on+d.Layers
				if d.Compute <= 0 || d.Available != 1<<30 {
					t.Errorf("%+v", d)
				}
			}
			assert.Check(t, weights == want.Weights && cache == want.KV && on == layers,
				"%d layers on %d GPUs: weights %d, cache %d, %d layers; want %d, %d", layers, len(gpus), weights, cache, on,
				want.Weights, want.KV)
		}
	}
}

func TestAGPUWithoutRoomIsNamed(t *testing.T) {
	w := backends.Workload{Requests: 100, PromptTokens: 900, MaxTokens: 100}
	small := engine.Device{Name: "CUDA0", Free: 1 << 20}
	p := onto(t, 3, small)
	_, err := p.Settings(w, requested(0, 0))
	errortest.Says(t, err, "on CUDA0, 1.0 MiB are free there")
	one := p.Allocate(requested(1, 1024)).Devices[0].Total()
	each := p.Allocate(requested(2, 1024)).Devices[0].Total() - one
	p = onto(t, 3, engine.Device{Name: "CUDA0", Free: int64(float64(one+2*each)/headroom) + 1<<12})
	if s, err := p.Settings(w, requested(0, 1024)); err != nil || s.Slots != 3 {
		t.Errorf("%d slots, %v; want 3: the GPU has room for no more", s.Slots, err)
	}
	_, err = p.Settings(w, requested(4, 1024))
	errortest.Says(t, err, "on CUDA0", "3 would fit")
}

func TestMemoryThatAGPUSharesIsCountedWithTheMachines(t *testing.T) {
	all := func(shared bool) int64 {
		p := onto(t, 3, engine.Device{Name: "Vulkan0", Free: 1 << 30, Shared: shared})
		return p.pools(p.Allocate(requested(1, 512)))[0].need
	}
	apart, shared := all(false), all(true)
	assert.Check(t, shared > apart, "the machine needs %d where the GPU shares its memory, %d where not", shared, apart)
}

func TestGPUsAreChosen(t *testing.T) {
	own, other, shared := engine.Device{Name: "CUDA0"}, engine.Device{Name: "CUDA1"}, engine.Device{Name: "Vulkan0", Shared: true}
	for _, test := range []struct {
		all    []engine.Device
		list   []string
		want   string
		refuse string
	}{
		{[]engine.Device{own, other}, nil, "CUDA0, CUDA1", ""},
		{[]engine.Device{own, other}, []string{"cuda1", "CUDA0"}, "CUDA1, CUDA0", ""},
		{[]engine.Device{shared, own}, nil, "CUDA0", ""}, // those with memory of their own
		{[]engine.Device{shared}, nil, "Vulkan0", ""},
		{[]engine.Device{shared, own}, []string{"vulkan0"}, "Vulkan0", ""},
		{[]engine.Device{own, other}, []string{"CUDA2"}, "", "there are CUDA0, CUDA1"},
		{[]engine.Device{own, other}, []string{"CUDA0", "CUDA0"}, "", "named twice"},
		{[]engine.Device{own, other}, []string{""}, "", `no GPU ""`},
	} {
		gpus, err := ChooseGPUs(test.all, test.list)
		switch {
		case test.refuse != "":
			errortest.For(t, test.list, err, test.refuse)
		case err != nil || names(gpus) != test.want:
			t.Errorf("%s of %s: %s, %v; want %s", test.list, names(test.all), names(gpus), err, test.want)
		}
	}
}

func TestLayersGoWhereThereIsRoom(t *testing.T) {
	all := tiny(t).Allocate(requested(1, 256)).Weights
	gpu := func(free int64) []engine.Device { return []engine.Device{{Name: "CUDA0", Free: free}} }
	for _, test := range []struct {
		name   string
		layers int
		auto   bool
		free   int64
		want   int
		refuse string
	}{
		{"none asked for", 0, false, 1 << 30, 0, ""},
		{"all", 999, false, 1 << 30, 3, ""},
		{"as many as fit, where all do", -1, true, 1 << 30, 3, ""},
		{"as many as fit, where none does", -1, true, all / 100, 0, ""},
		{"more than fit", 3, false, all / 100, 0, "not one layer would fit"},
	} {
		p, s := tiny(t), requested(1, 256)
		s.GPULayers = test.layers
		layers, err := p.Place(s, test.auto, gpu(test.free))
		assert.Check(t, test.refuse != "" || err == nil && layers == test.want,
			"%s: %d layers, %v; want %d", test.name, layers, err, test.want)
		if test.refuse != "" {
			errortest.For(t, test.name, err, test.refuse)
		}
		assert.Check(t, err != nil || (len(p.Used()) > 0) == (layers > 0), "%s: %d layers on %v", test.name, layers, p.Used())
	}
}
