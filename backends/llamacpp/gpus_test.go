package llamacpp

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/gpu"
)

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
	capped(requests, 6)
	want := generate(t, open(t, Options{Settings: backends.Settings{Slots: 3, Context: 512}, Batch: 128}), requests...)
	for _, kind := range slices.Compact([]string{KernelsGGML, DefaultKernels()}) {
		for _, layers := range []backends.Layers{1, backends.AllLayers, backends.AutoLayers} {
			t.Run(fmt.Sprintf("%s kernels, %d layers", kind, layers), func(t *testing.T) {
				m := open(t, Options{Settings: backends.Settings{Slots: 3, Context: 512, GPULayers: layers, Kernels: kind},
					Batch: 128})
				same := 0
				for i, c := range generate(t, m, requests...) {
					if firstLetters(c.Text) == firstLetters(want[i].Text) {
						same++
					}
				}
				assert.Check(t, same >= len(requests)-1, "%d of %d texts begin alike", same, len(requests))
				info, err := m.Info(context.Background())
				counts := map[backends.Layers]int{backends.AllLayers: 3, backends.AutoLayers: 3, 1: 1}
				if err != nil || info.Engine.GPULayers != counts[layers] || len(info.Engine.Devices) == 0 ||
					info.Engine.Offloaded != (counts[layers] == 3) {
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
		{"all", Options{Settings: backends.Settings{Slots: 4, Context: 1024, GPULayers: backends.AllLayers}}},
		{"all, without flash attention", Options{Settings: backends.Settings{Slots: 4, Context: 1024,
			GPULayers: backends.AllLayers}, Like: &backends.EngineInfo{Slots: 4}}},
		{"all but the output", Options{Settings: backends.Settings{Slots: 4, Context: 1024, GPULayers: 2}}},
		{"one layer", Options{Settings: backends.Settings{Slots: 2, Context: 2048, GPULayers: 1}}},
		{"an eight-bit cache", Options{Settings: backends.Settings{Slots: 2, Context: 2048, GPULayers: backends.AllLayers,
			KVType: "q8_0"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, a, lines := planned(t, test.options)
			assert.Assert(t, len(a.Devices) != 0, "nothing is planned on a GPU: %+v", a)
			for _, d := range a.Devices {
				for _, part := range []struct {
					name        string
					planned     int64
					least, most float64 // of what it takes, as a share of what was planned
				}{{"model", d.Weights, 0.97, 1.03}, {"KV", d.KV, 0.97, 1.03}, {"compute", d.Compute, 0, 1}} {
					if part.planned == 0 {
						continue // the output has no cache
					}
					taken, planned := lines.mebibytes(d.Name+" "+part.name), float64(part.planned)/(1<<20)
					t.Logf("%s on %s: %.2f MiB of %.2f planned", part.name, d.Name, taken, planned)
					assert.Check(t, taken > 0 && taken >= part.least*planned-0.02 && taken <= part.most*planned+0.02,
						"%s: planned %.2f MiB on %s, it took %.2f", part.name, planned, d.Name, taken)
				}
			}
		})
	}
}
