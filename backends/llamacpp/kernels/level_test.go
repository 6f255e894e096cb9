package kernels

import (
	"strings"
	"testing"
)

func TestTheBestLevelIsChosenOrTheOneThatIsAskedFor(t *testing.T) {
	names := []string{"wide", "narrow"}
	for name, test := range map[string]struct {
		available []bool
		asked     string
		want      int
		message   string // "": no error
	}{
		"the best":                {[]bool{true, true}, "", 0, ""},
		"the best of this CPU":    {[]bool{false, true}, "", 1, ""},
		"none":                    {[]bool{false, false}, "", -1, ""},
		"a lower one":             {[]bool{true, true}, "narrow", 1, ""},
		"one that the CPU lacks":  {[]bool{false, true}, "wide", -1, "PROCTOR_KERNELS_LEVEL=wide: this CPU cannot"},
		"one that does not exist": {[]bool{true, true}, "wider", -1, `PROCTOR_KERNELS_LEVEL=wider: no such level: there are "wide, narrow"`},
	} {
		got, err := choose(names, test.available, test.asked)
		if got != test.want || (err != nil) != (test.message != "") || (err != nil && !strings.Contains(err.Error(), test.message)) {
			t.Errorf("%s: got %d, %v", name, got, err)
		}
	}
}

// A CPU decides what kernels there are, not the compiler's flags.
func TestLevelsHaveTheirNames(t *testing.T) {
	names, available := levels()
	if len(names) != len(available) {
		t.Fatalf("%v, %v", names, available)
	}
	for _, name := range names {
		switch name {
		case "avx2", "avxvnni", "avx512", "amx", "neon":
		default:
			t.Errorf("a level is called %q", name)
		}
	}
}
