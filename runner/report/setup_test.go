package report

import (
	"strings"
	"testing"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
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
		{
			backends.EngineInfo{Kernels: "proctor", KernelLevel: "amx", Multiplying: "avx512 multiplies one token fastest, amx some, amx many"},
			"proctor's kernels (amx: chosen by the CPU; avx512 multiplies one token fastest, amx some, amx many)",
		},
		{backends.EngineInfo{Kernels: "proctor", KernelLevel: "amx", GPULayers: 33, Offloaded: true}, ""},
	} {
		if got := computes(test.engine); got != test.want {
			t.Errorf("%+v: told as %q, want %q", test.engine, got, test.want)
		}
	}
}

// The first screen says what kernels that nobody asked for cost, unless GPUs compute.
func TestAFallbackToTheKernelsOfGGMLIsToldFirst(t *testing.T) {
	const want = "! llama.cpp v9 computes with ggml's kernels, about 3 to 5 times slower than proctor's, as measured with 5-shot prompts, " +
		"because it has no ggml_barrier\n"
	for name, test := range map[string]struct {
		because   string
		offloaded bool
		told      bool
	}{
		"asked for":   {},
		"a fallback":  {because: "it has no ggml_barrier", told: true},
		"all on GPUs": {because: "it has no ggml_barrier", offloaded: true},
	} {
		h, records := journaltest.Examples()["mcq"]()
		h.Backend.Version, h.Backend.Kernels = "llama.cpp v9", "ggml"
		h.Backend.KernelsBecause, h.Backend.Offloaded = test.because, test.offloaded
		var out strings.Builder
		if err := shortPage(mustBuild(t, h, records, metrics.Options{})).Text(&out); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), want) != test.told {
			t.Errorf("%s: %s", name, out.String())
		}
	}
}

// Only the questions' checksums say that a set is the published one.
func TestASetThatIsMerelyCalledMMLUProIsNotThePublishedOne(t *testing.T) {
	for name, test := range map[string]struct {
		set   journal.Dataset
		title string
	}{
		"by its name":  {journal.Dataset{Name: "mmlu-pro"}, "mmlu-pro (by name only)"},
		"by a part":    {journal.Dataset{Name: "my_MMLU_Pro_12"}, "my_MMLU_Pro_12 (by name only)"},
		"by questions": {journal.Dataset{Name: "exam", Published: "TIGER-Lab/MMLU-Pro"}, "MMLU-Pro"},
		"by files, as old journals have it": {
			journal.Dataset{Name: "mmlu-pro", SHA256: "a2276d93ca46e62ca5a5b63278227cb9e6e6106f8f50c1473011cffc9367c74b"}, "MMLU-Pro",
		},
	} {
		h, records := journaltest.Examples()["mcq"]()
		h.Dataset = test.set
		title := documentOf(mustBuild(t, h, records, metrics.Options{})).title()
		if !strings.HasPrefix(title, test.title+", 60 of 62 items so far") {
			t.Errorf("%s: title %q", name, title)
		}
	}
}
