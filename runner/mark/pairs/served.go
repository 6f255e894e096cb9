package pairs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"proctor/runner/mark/results"
)

// served is in what the servers that answered two runs differed, as their answers tell; empty where they did not, or do not tell. It can
// change greedy texts, since drafts and builds round otherwise.
func served(a, b *Run) string {
	var all []string
	if x, y := a.drafted(), b.drafted(); x != y {
		word := map[bool]string{true: "on", false: "off"}
		all = append(all, fmt.Sprintf("speculative decoding (%s and %s)", word[x], word[y]))
	}
	if x, y := a.fingerprints(), b.fingerprints(); x != y && x != "" && y != "" {
		all = append(all, fmt.Sprintf("system_fingerprint (%s and %s)", x, y))
	}
	if len(all) == 0 {
		return ""
	}
	return "the servers answered otherwise, by which greedy texts differ, too: " + strings.Join(all, ", ")
}

// drafted says whether a server guessed tokens of any answer ahead.
func (r *Run) drafted() bool {
	return slices.ContainsFunc(r.Marked.Items, func(it *results.Item) bool { return it.Usage.DraftedTokens > 0 })
}

// fingerprints are what servers said of their builds, each once.
func (r *Run) fingerprints() string {
	all := map[string]bool{}
	for _, it := range r.Marked.Items {
		if it.SystemFingerprint != "" {
			all[it.SystemFingerprint] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), ", ")
}
