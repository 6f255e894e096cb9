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
	} {
		if got := computes(test.engine); got != test.want {
			t.Errorf("%+v: told as %q, want %q", test.engine, got, test.want)
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
