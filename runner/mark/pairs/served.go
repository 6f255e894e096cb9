package pairs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"proctor/runner/mark/results"
)

// served lists differences between the servers that answered two runs, by their answers; empty where there are none, or none are
// known. They can change greedy texts, since drafts and builds round differently.
func served(a, b *Run) string {
	var all []string
	if x, y := a.drafted(), b.drafted(); x != y {
		word := map[bool]string{true: "on", false: "off"}
		all = append(all, fmt.Sprintf("speculative decoding (%s and %s)", word[x], word[y]))
	}
	if x, y := a.fingerprints(), b.fingerprints(); x != y && x != "" && y != "" {
		all = append(all, fmt.Sprintf("system_fingerprint (%s and %s)", x, y))
	}
	if x, y := a.Marked.NotTaken(), b.Marked.NotTaken(); !slices.Equal(x, y) {
		taken := func(not []string) string {
			if len(not) == 0 {
				return "all"
			}
			return "no " + strings.Join(not, ", ")
		}
		all = append(all, fmt.Sprintf("the sampling that they take (%s and %s)", taken(x), taken(y)))
	}
	if len(all) == 0 {
		return ""
	}
	return "the servers answered otherwise, by which greedy texts differ, too: " + strings.Join(all, ", ")
}

// drafted says whether a server used speculative decoding for any answer.
func (r *Run) drafted() bool {
	return slices.ContainsFunc(r.Marked.Items, func(it *results.Item) bool { return it.Usage.DraftedTokens > 0 })
}

// fingerprints are the servers' builds, each once.
func (r *Run) fingerprints() string {
	all := map[string]bool{}
	for _, it := range r.Marked.Items {
		if it.SystemFingerprint != "" {
			all[it.SystemFingerprint] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), ", ")
}
