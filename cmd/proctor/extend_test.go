package main

import (
	"bytes"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// TestAnExtendedRunThatWasKilledIsOneFromTheStart: 14 questions, then 28, killed, and gone on with.
func TestAnExtendedRunThatWasKilledIsOneFromTheStart(t *testing.T) {
	folder := t.TempDir()
	whole, grown := filepath.Join(folder, "whole"), filepath.Join(folder, "grown")
	asking := func(limit string) []string {
		args := slices.Clone(slowRun)
		args[slices.Index(args, "42")], args[slices.Index(args, "300")] = limit, "100"
		return args
	}
	want := reportOf(t, run(t, append(asking("28"), whole)...))
	run(t, append(asking("14"), grown)...)

	extended := []string{"run", "--quiet", "--resume", "--limit", "28", "--out"}
	cmd, _, _ := begin(t, grown, extended, func(journal []byte) bool { return bytes.Count(journal, []byte("\n")) > 17 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if answered := lines(t, grown); len(answered) == 29 {
		t.Fatal("the run was over before it was killed")
	}
	got := reportOf(t, run(t, "run", "--quiet", "--resume", "--format", "json", "--out", grown))
	for key, value := range want {
		if !reflect.DeepEqual(got[key], value) {
			t.Errorf("%s of the extended run's report differs from that of one from the start:\n%v\n%v", key, got[key], value)
		}
	}
	if after := lines(t, grown); len(after) != 29 {
		t.Errorf("%d lines, want the header and 28 items", len(after))
	}
	compareTexts(t, whole, grown)
}

// TestARunOfEveryFormIsExtended: what the prompts of a subject begin with does not depend on the questions that are drawn, however
// they are asked.
func TestARunOfEveryFormIsExtended(t *testing.T) {
	server := newProtocolServer(func(string) {})
	t.Cleanup(server.Close)
	control := []string{"--model", "embedded", "--threads", "1", "--slots", "1"}
	openai := []string{"--model", "openai:m", "--servers", server.Host(), "--concurrency", "1"}
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
		for where, model := range map[string][]string{"in-process": control, "at a server": openai} {
			if slices.Contains(c.flags, "--direct") && where != "in-process" {
				continue // servers do not tell what it asks for
			}
			t.Run(name+" "+where, func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				whole, grown := filepath.Join(folder, "whole"), filepath.Join(folder, "grown")
				common := slices.Concat([]string{"run", "--quiet", "--seed", "3", "--shots", "1", "--max-tokens", "8"}, c.flags, model)
				if slices.Contains(c.flags, "--direct") {
					common = slices.DeleteFunc(common, func(arg string) bool { return arg == "--max-tokens" || arg == "8" })
				}
				run(t, slices.Concat(common, []string{"--limit", c.limits[1], "--out", whole})...)
				run(t, slices.Concat(common, []string{"--limit", c.limits[0], "--out", grown})...)
				again := []string{"run", "--quiet", "--resume", grown, "--limit", c.limits[1]}
				if where != "in-process" {
					again = append(again, "--servers", server.Host())
				}
				run(t, again...)
				a, b := loaded(t, whole), loaded(t, grown)
				if a.Header.Fingerprint != b.Header.Fingerprint || len(a.Records) != len(b.Records) {
					t.Errorf("fingerprints %s and %s, %d and %d items", a.Header.Fingerprint, b.Header.Fingerprint, len(a.Records),
						len(b.Records))
				}
				for subject, text := range b.Header.Preambles {
					if len(text) < 100 {
						t.Errorf("%s: only %q is shared", subject, text)
					}
				}
				compareTexts(t, whole, grown)
			})
		}
	}
}
