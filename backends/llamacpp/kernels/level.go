package kernels

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// LevelVariable is the environment variable that names the level to compute with instead of the best one; it is for tests.
const LevelVariable = "PROCTOR_KERNELS_LEVEL"

// Level is the name of what the kernels compute with on this CPU, such as avx2; "" where they have nothing for it. It
// adds the kernels to ggml, and has time choose what multiplies, unless a level is forced.
var Level = sync.OnceValues(func() (string, error) {
	all := levels()
	i, err := choose(all, os.Getenv(LevelVariable))
	if err != nil || i < 0 {
		return "", err
	}
	all[i].install()
	if c, err := bound(); err == nil && !Forced() {
		c.Measure()
	}
	return all[i].name, nil
})

// Available adds the kernels to ggml, where this CPU has a level, and says whether it has.
func Available() bool {
	name, err := Level()
	return name != "" && err == nil
}

// Forced says whether the level is not the CPU's, but the one that [LevelVariable] names.
func Forced() bool { return os.Getenv(LevelVariable) != "" }

// Choice says for people which level computes, why, and what the CPU lacks for better ones.
func Choice() (string, error) {
	if _, err := bound(); err != nil {
		return "none; " + err.Error(), nil
	}
	if _, err := Level(); err != nil {
		return "", err
	}
	return explain(levels(), os.Getenv(LevelVariable)), nil
}

// Supported are the names of the levels that this CPU can compute with, best first; [LevelVariable] takes any of
// them.
func Supported() []string {
	var names []string
	for _, l := range levels() {
		if len(l.lacks) == 0 {
			names = append(names, l.name)
		}
	}
	return names
}

// level is what a kind of CPU computes with.
type level struct {
	name   string
	lacks  []string // the features that it needs and this CPU does not have
	number int32    // in level.cpp's table
}

// choose returns the best level that the CPU can compute with, or the one that is asked for; -1 where there is none.
func choose(all []level, wanted string) (int, error) {
	var names []string
	for i, l := range all {
		names = append(names, l.name)
		switch {
		case (wanted == "" || wanted == l.name) && len(l.lacks) == 0:
			return i, nil
		case wanted == l.name:
			return -1, fmt.Errorf("%s=%s: this CPU cannot compute with that level: it lacks %s; unset it for the best that it can",
				LevelVariable, wanted, strings.Join(l.lacks, ", "))
		}
	}
	if wanted != "" && len(all) == 0 {
		return -1, fmt.Errorf("%s=%s: no such level: there are none for %s; unset it", LevelVariable, wanted, runtime.GOARCH)
	}
	if wanted != "" {
		return -1, fmt.Errorf("%s=%s: no such level: there are %q; unset it for the best that the CPU can",
			LevelVariable, wanted, strings.Join(names, ", "))
	}
	return -1, nil
}

// explain says what choose returns and why.
func explain(all []level, wanted string) string {
	best, _ := choose(all, "")
	chosen, _ := choose(all, wanted)
	var parts []string
	switch {
	case len(all) == 0:
		parts = append(parts, "none for "+runtime.GOARCH)
	case chosen < 0:
		parts = append(parts, "none")
	case wanted == "":
		parts = append(parts, all[chosen].name+": chosen by the CPU")
	default:
		parts = append(parts, all[chosen].name+": forced by "+LevelVariable)
	}
	if best >= 0 && best < chosen {
		parts = append(parts, "this CPU can "+all[best].name)
	}
	for i, l := range all {
		if len(l.lacks) > 0 && (chosen < 0 || i < chosen) {
			parts = append(parts, "for "+l.name+" it lacks "+lacking(l, all[i+1:]))
		}
	}
	return strings.Join(parts, "; ")
}

// lacking lists what the CPU lacks for a level: what is the same for one of the next levels is listed there.
func lacking(l level, next []level) string {
	for _, n := range next {
		own := slices.DeleteFunc(slices.Clone(l.lacks), func(feature string) bool { return slices.Contains(n.lacks, feature) })
		if len(n.lacks) > 0 && len(own) > 0 && len(own)+len(n.lacks) == len(l.lacks) {
			return strings.Join(own, ", ") + " and what it lacks for " + n.name
		}
	}
	return strings.Join(l.lacks, ", ")
}
