package registry

import (
	"testing"

	"gotest.tools/v3/assert"
)

func TestWhatComputesWrongIsMendedByWhatIsRight(t *testing.T) {
	ggml := Verdict{Kernels: "ggml", Items: 3}
	wide, narrow := Verdict{Kernels: "proctor", Level: "wide", Items: 3}, Verdict{Kernels: "proctor", Level: "narrow", Items: 3}
	dead := func(v Verdict) Verdict { v.Died = "SIGILL"; return v }
	for name, test := range map[string]struct {
		verdicts []Verdict
		command  string // "": none
	}{
		"all right":                {[]Verdict{ggml, wide, narrow}, ""},
		"the best level":           {[]Verdict{ggml, dead(wide), narrow}, "export PROCTOR_KERNELS_LEVEL=narrow"},
		"a level that is not used": {[]Verdict{ggml, wide, dead(narrow)}, "export PROCTOR_KERNELS_LEVEL=wide"},
		"all levels":               {[]Verdict{ggml, dead(wide), dead(narrow)}, "proctor run kernels ggml"},
		"ggml":                     {[]Verdict{dead(ggml), wide}, "make clean build"},
		"everything":               {[]Verdict{dead(ggml), dead(wide)}, "make clean build"},
	} {
		advice := Mend(test.verdicts)
		assert.Check(t, len(advice) <= 1 && append(advice, Advice{})[0].Command == test.command, "%s: %+v, want %q", name, advice, test.command)
	}
}
