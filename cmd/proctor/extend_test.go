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
