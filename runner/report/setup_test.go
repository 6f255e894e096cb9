package report

import (
	"testing"

	"proctor/backends"
)

func TestTheKernelsOfARunAreTold(t *testing.T) {
	for _, test := range []struct {
		engine backends.EngineInfo
		want   string
	}{
		{backends.EngineInfo{}, ""},
		{backends.EngineInfo{Kernels: "ggml"}, "ggml's kernels"},
		{backends.EngineInfo{Kernels: "proctor"}, "proctor's kernels"}, // as older journals have it
		{backends.EngineInfo{Kernels: "proctor", KernelLevel: "avx512"}, "proctor's kernels (avx512: chosen by the CPU)"},
		{backends.EngineInfo{Kernels: "proctor", KernelLevel: "avx2", LevelForced: true}, "proctor's kernels (avx2: forced)"},
		{backends.EngineInfo{Kernels: "amx-bf16", KernelLevel: "amx-bf16", LevelForced: true},
			"amx-bf16, proctor's kernels with other bits than at the other levels"},
		{backends.EngineInfo{Kernels: "bf16", KernelLevel: "bf16", LevelForced: true},
			"bf16, proctor's kernels with other bits than at the other levels"},
	} {
		if got := computes(test.engine); got != test.want {
			t.Errorf("%+v: told as %q, want %q", test.engine, got, test.want)
		}
	}
}
