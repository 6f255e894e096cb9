package llamacpp

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/backends/llamacpp/gpu"
	"proctor/backends/llamacpp/llama"
)

// TestLayersAreSharedAmongGPUs compares with where llama.cpp puts the layers of a model of five.
func TestLayersAreSharedAmongGPUs(t *testing.T) {
	for _, test := range []struct {
		name   string
		layers int
		split  []float32
		want   []int // of each layer and of the output
	}{
		{"none", 0, []float32{1}, []int{-1, -1, -1, -1, -1, -1}},
		{"no GPU", 3, nil, []int{-1, -1, -1, -1, -1, -1}},
		{"the last two, and not the output", 2, []float32{1}, []int{-1, -1, -1, 0, 0, -1}},
		{"all but the output", 5, []float32{1}, []int{0, 0, 0, 0, 0, -1}},
		{"all", 6, []float32{1}, []int{0, 0, 0, 0, 0, 0}},
		{"more than there are", 999, []float32{1}, []int{0, 0, 0, 0, 0, 0}},
		{"two alike", 6, []float32{8, 8}, []int{0, 0, 0, 1, 1, 1}},
		{"one of them larger", 6, []float32{20, 10}, []int{0, 0, 0, 0, 1, 1}},
		{"one without a share", 6, []float32{0, 1}, []int{1, 1, 1, 1, 1, 1}},
		{"some of them on two", 4, []float32{3, 1}, []int{-1, 0, 0, 0, 1, -1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := offload{gpus: make([]llama.Device, len(test.split)), split: test.split, layers: test.layers, blocks: 5}
			var got []int
			for layer := range 6 {
				got = append(got, o.of(layer))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("layers on %v, want %v", got, test.want)
			}
		})
	}
}

// onto plans a model as if some of its layers went to GPUs that there are not.
func onto(t *testing.T, layers int, gpus ...llama.Device) *Model {
	t.Helper()
	m := open(t, Options{})
	m.offload.gpus, m.offload.layers = gpus, layers
	m.offload.split = make([]float32, len(gpus))
	for i, d := range gpus {
		m.offload.split[i] = float32(d.Free)
	}
	return m
}

func TestAPlanCountsEachByteOnce(t *testing.T) {
	cpu := open(t, Options{})
	s := cpu.asked
	s.Slots, s.Context = 3, 512
	want := cpu.allocate(s)
	a, b := llama.Device{Name: "A", Free: 1 << 30}, llama.Device{Name: "B", Free: 1 << 30}
	for layers := range 4 {
		for _, gpus := range [][]llama.Device{{a}, {a, b}} {
			got := onto(t, layers, gpus...).allocate(s)
			weights, cache, on := got.Weights, got.KV, 0
			for _, d := range got.Devices {
				weights, cache, on = weights+d.Weights, cache+d.KV, on+d.Layers
				if d.Compute <= 0 || d.Available != 1<<30 {
					t.Errorf("%+v", d)
				}
			}
			if weights != want.Weights || cache != want.KV || on != layers {
				t.Errorf("%d layers on %d GPUs: weights %d, cache %d, %d layers; want %d, %d", layers, len(gpus), weights, cache, on,
					want.Weights, want.KV)
			}
		}
	}
}

func TestAGPUWithoutRoomIsNamed(t *testing.T) {
	w := backends.Workload{Requests: 100, PromptTokens: 900, MaxTokens: 100}
	small := llama.Device{Name: "CUDA0", Free: 1 << 20}
	m := onto(t, 3, small)
	if _, err := m.Plan(context.Background(), w); err == nil || !strings.Contains(err.Error(), "on CUDA0, 1 MiB are free there") {
		t.Errorf("error %v", err)
	}
	s := m.asked
	s.Context, s.Slots = 1024, 1
	one := m.allocate(s).Devices[0].Total()
	s.Slots = 2
	each := m.allocate(s).Devices[0].Total() - one
	m = onto(t, 3, llama.Device{Name: "CUDA0", Free: int64(float64(one+2*each)/headroom) + 1<<12})
	a := m.asked
	a.Context = 1024
	if slots, fit, err := m.planSlots(w, a); err != nil || slots != 3 || fit != 3 {
		t.Errorf("%d slots of %d that fit, %v; want 3: the GPU has room for no more", slots, fit, err)
	}
	m.options.Slots = 4
	_, _, err := m.planSlots(w, a)
	if err == nil || !strings.Contains(err.Error(), "on CUDA0") || !strings.Contains(err.Error(), "3 would fit") {
		t.Errorf("error %v", err)
	}
}

func TestMemoryThatAGPUSharesIsCountedWithTheMachines(t *testing.T) {
	s := open(t, Options{}).asked
	s.Slots, s.Context = 1, 512
	all := func(shared bool) int64 {
		return pools(onto(t, 3, llama.Device{Name: "Vulkan0", Free: 1 << 30, Shared: shared}).allocate(s))[0].need
	}
	apart, shared := all(false), all(true)
	if shared <= apart {
		t.Errorf("the machine needs %d where the GPU shares its memory, %d where not", shared, apart)
	}
}

func TestGPUsAreNamed(t *testing.T) {
	all := []llama.Device{{Name: "CUDA0"}, {Name: "CUDA1"}}
	if got, err := named([]string{"cuda1", "CUDA0"}, all); err != nil || names(got) != "CUDA1, CUDA0" {
		t.Errorf("%v, %v", got, err)
	}
	for list, want := range map[string]string{"CUDA2": "there are CUDA0, CUDA1", "CUDA0 CUDA0": "named twice", "": `no GPU ""`} {
		if _, err := named(strings.Split(list, " "), all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", list, err)
		}
	}
}

// needsGPU leaves a test out where no GPU backend is named.
func needsGPU(t *testing.T) {
	t.Helper()
	if os.Getenv(gpu.Variable) == "" {
		t.Skipf("needs %s: scripts/gpu-vulkan-check.sh runs it on llvmpipe", gpu.Variable)
	}
}

func TestGPULayersWriteWhatTheCPUWrites(t *testing.T) {
	needsGPU(t)
	requests := fewShot(1, 4, 40, 12) // few: llvmpipe is slow
	for i := range requests {
		requests[i].MaxTokens = 6
	}
	want := generate(t, open(t, Options{Slots: 3, Context: 512, Batch: 128}), requests...)
	for _, kind := range slices.Compact([]string{KernelsGGML, DefaultKernels()}) {
		for _, layers := range []int{1, AllLayers, AutoLayers} {
			t.Run(fmt.Sprintf("%s kernels, %d layers", kind, layers), func(t *testing.T) {
				m := open(t, Options{Slots: 3, Context: 512, Batch: 128, GPULayers: layers, Kernels: kind})
				same := 0
				for i, c := range generate(t, m, requests...) {
					if firstLetters(c.Text) == firstLetters(want[i].Text) {
						same++
					}
				}
				if same < len(requests)-1 {
					t.Errorf("%d of %d texts begin alike", same, len(requests))
				}
				info, err := m.Info(context.Background())
				counts := map[int]int{AllLayers: 3, AutoLayers: 3, 1: 1}
				if err != nil || info.Engine.GPULayers != counts[layers] || len(info.Engine.Devices) == 0 {
					t.Errorf("%+v, %v", info.Engine, err)
				}
			})
		}
	}
}

func TestThePlanIsWhatTheGPUTakes(t *testing.T) {
	needsGPU(t)
	for _, test := range []struct {
		name    string
		options Options
	}{
		{"all", Options{Slots: 4, Context: 1024, GPULayers: AllLayers}},
		{"all, without flash attention", Options{Slots: 4, Context: 1024, GPULayers: AllLayers, Like: &backends.EngineInfo{Slots: 4}}},
		{"all but the output", Options{Slots: 4, Context: 1024, GPULayers: 2}},
		{"one layer", Options{Slots: 2, Context: 2048, GPULayers: 1}},
		{"an eight-bit cache", Options{Slots: 2, Context: 2048, GPULayers: AllLayers, KVType: "q8_0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var lines engineLines
			test.options.Log = lines.log
			m := open(t, test.options)
			a, err := m.Plan(context.Background(), backends.Workload{Requests: 100})
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Devices) == 0 {
				t.Fatalf("nothing is planned on a GPU: %+v", a)
			}
			for _, d := range a.Devices {
				for _, part := range []struct {
					name        string
					planned     int64
					least, most float64 // of what it takes, as a share of what was planned
				}{{"model", d.Weights, 0.97, 1.03}, {"KV", d.KV, 0.97, 1.03}, {"compute", d.Compute, 0, 1}} {
					if part.planned == 0 {
						continue // the output has no cache
					}
					taken, planned := lines.mebibytes(t, d.Name+" "+part.name), float64(part.planned)/(1<<20)
					t.Logf("%s on %s: %.2f MiB of %.2f planned", part.name, d.Name, taken, planned)
					if taken < part.least*planned-0.02 || taken > part.most*planned+0.02 {
						t.Errorf("%s: planned %.2f MiB on %s, it took %.2f", part.name, planned, d.Name, taken)
					}
				}
			}
		})
	}
}

func TestGPUsThatAreNotThereAreRefused(t *testing.T) {
	needsGPU(t)
	for want, options := range map[string]Options{
		`no GPU "CUDA7": there are Vulkan0`: {GPULayers: 1, Devices: []string{"CUDA7"}},
		"a tensor split of 9 shares for":    {GPULayers: 1, TensorSplit: []float64{9: 1}[1:]},
	} {
		options.Path = tinyPath(t)
		if m, err := Open(context.Background(), options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v; want %q", m, err, want)
		}
	}
}
