package kernels

import (
	"runtime"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestTheBestLevelIsChosenOrTheOneThatIsAskedFor(t *testing.T) {
	able := func(lacks ...string) []level { return []level{{name: "wide", lacks: lacks}, {name: "narrow"}} }
	for name, test := range map[string]struct {
		all     []level
		wanted  string
		want    int
		message string // of the error; "": none
		choice  string // as people are told
	}{
		"the best":             {able(), "", 0, "", "wide: chosen by the CPU"},
		"the best of this CPU": {able("W1", "W2"), "", 1, "", "narrow: chosen by the CPU; for wide it lacks W1, W2"},
		"a better one that lacks more": {append([]level{{name: "wider", lacks: []string{"W", "X"}}}, able("W")...), "", 2, "",
			"narrow: chosen by the CPU; for wider it lacks X and what it lacks for wide; for wide it lacks W"},
		"better ones that lack the same": {append([]level{{name: "wider", lacks: []string{"W"}}}, able("W")...), "", 2, "",
			"narrow: chosen by the CPU; for wider it lacks W; for wide it lacks W"},
		"none":     {able("W")[:1], "", -1, "", "none; for wide it lacks W"},
		"no level": {nil, "", -1, "", "none for " + runtime.GOARCH},
		"asked for where there is none": {nil, "wide", -1,
			"PROCTOR_KERNELS_LEVEL=wide: no such level: there are none for " + runtime.GOARCH,
			"none for " + runtime.GOARCH},
		"a lower one": {able(), "narrow", 1, "", "narrow: forced by PROCTOR_KERNELS_LEVEL; this CPU can wide"},
		"one that the CPU lacks": {able("W"), "wide", -1, "PROCTOR_KERNELS_LEVEL=wide: this CPU cannot compute with that level: it lacks W",
			"none; for wide it lacks W"},
		"one that does not exist": {able(), "wider", -1, `PROCTOR_KERNELS_LEVEL=wider: no such level: there are "wide, narrow"`, "none"},
	} {
		got, err := choose(test.all, test.wanted)
		if got != test.want || (err != nil) != (test.message != "") || (err != nil && !strings.Contains(err.Error(), test.message)) {
			t.Errorf("%s: got %d, %v", name, got, err)
		}
		choice := explain(test.all, test.wanted)
		assert.Check(t, choice == test.choice, "%s: told as %q, want %q", name, choice, test.choice)
	}
}

func TestWhichLevelsMultiplyIsToldByTypeAndTokens(t *testing.T) {
	types := map[string]uint32{"Q4_K": 12, "Q6_K": 14, "Q8_0": 8, "F32": 0}
	for want, by := range map[string]map[uint32][]string{ // for 1 token, up to 32, and more
		"":                                 {},
		"avx512":                           {12: {"avx512", "avx512", "avx512"}, 14: {"avx512", "avx512", "avx512"}},
		"avx512 for 1 token, amx for more": {8: {"avx512", "amx", "amx"}},
		"Q4_K, Q8_0: amx; Q6_K: avx512 for 1 token, avx2 for up to 32, avx512 for more": {
			8: {"amx", "amx", "amx"}, 12: {"amx", "amx", "amx"}, 14: {"avx512", "avx2", "avx512"}},
		"Q4_K: avx512 for up to 32, amx for more; Q8_0: avx512": {12: {"avx512", "avx512", "amx"}, 8: {"avx512", "avx512", "avx512"}},
	} {
		got := multiplying(types, func(kind uint32, tokens int64) string {
			levels := by[kind]
			switch {
			case levels == nil:
				return ""
			case tokens == 1:
				return levels[0]
			case tokens <= 32:
				return levels[1]
			}
			return levels[2]
		})
		assert.Check(t, got == want, "told as %q, want %q", got, want)
	}
}
