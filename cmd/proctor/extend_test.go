package main

import (
	"path/filepath"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

// TestARunOfEveryFormIsExtended: what the prompts of a subject begin with does not depend on the questions that are drawn, however
// they are asked.
func TestARunOfEveryFormIsExtended(t *testing.T) {
	ofOne, ofAll := []string{"1", "2"}, []string{"14", "28"}
	for name, c := range map[string]struct{ flags, limits []string }{
		"raw":            {[]string{"--prompt", "raw"}, ofAll},
		"chat":           {[]string{"--prompt", "chat"}, ofAll},
		"turns":          {[]string{"--prompt", "turns"}, ofAll},
		"auto":           {[]string{"--prompt", "auto"}, ofAll},
		"one of each":    {[]string{"--prompt", "chat"}, []string{"1/subject", "2/subject"}},
		"direct":         {[]string{"--direct"}, ofAll},
		"direct chat":    {[]string{"--direct", "--prompt", "chat"}, ofAll},
		"binary":         {[]string{"--tasks", "mmlu_pro_binary_math"}, ofOne},
		"binary chat":    {[]string{"--tasks", "mmlu_pro_binary_math", "--prompt", "chat"}, ofOne},
		"circular":       {[]string{"--tasks", "mmlu_pro_circular_math"}, ofOne},
		"circular turns": {[]string{"--tasks", "mmlu_pro_circular_math", "--prompt", "turns"}, ofOne},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			whole, grown := filepath.Join(folder, "whole"), filepath.Join(folder, "grown")
			common := slices.Concat([]string{"run", "--quiet", "--seed", "3", "--shots", "1", "--threads", "1", "--slots", "1"}, c.flags)
			if !slices.Contains(c.flags, "--direct") {
				common = append(common, "--max-tokens", "8")
			}
			run(t, slices.Concat(common, []string{"--limit", c.limits[1], "--out", whole})...)
			run(t, slices.Concat(common, []string{"--limit", c.limits[0], "--out", grown})...)
			run(t, "run", "--quiet", "--resume", grown, "--limit", c.limits[1])
			a, b := loaded(t, whole), loaded(t, grown)
			assert.Check(t, a.Header.Fingerprint == b.Header.Fingerprint && len(a.Records) == len(b.Records),
				"fingerprints %s and %s, %d and %d items", a.Header.Fingerprint, b.Header.Fingerprint, len(a.Records),
				len(b.Records))
			for subject, text := range b.Header.Preambles {
				assert.Check(t, len(text) >= 100, "%s: only %q is shared", subject, text)
			}
			compareTexts(t, whole, grown)
		})
	}
}
