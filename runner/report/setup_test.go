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
	} {
		if got := computes(test.engine); got != test.want {
			t.Errorf("%+v: told as %q, want %q", test.engine, got, test.want)
		}
	}
}
