package main

import (
	"bytes"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// TestAnExtendedRunThatWasKilledIsOneFromTheStart: 21 questions, then 42, killed, and gone on with.
func TestAnExtendedRunThatWasKilledIsOneFromTheStart(t *testing.T) {
	folder := t.TempDir()
	whole, grown := filepath.Join(folder, "whole"), filepath.Join(folder, "grown")
	want := reportOf(t, run(t, append(slowRun, whole)...))
	half := slices.Clone(slowRun)
	half[slices.Index(half, "42")] = "21"
	run(t, append(half, grown)...)

	extended := []string{"run", "--quiet", "--resume", "--limit", "42", "--out"}
	cmd, _, _ := begin(t, grown, extended, func(journal []byte) bool { return bytes.Count(journal, []byte("\n")) > 25 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if answered := lines(t, grown); len(answered) == 43 {
		t.Fatal("the run was over before it was killed")
	}
	got := reportOf(t, run(t, "run", "--quiet", "--resume", "--format", "json", "--out", grown))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the extended run's report differs from that of one from the start:\n%v\n%v", got, want)
	}
	if after := lines(t, grown); len(after) != 43 {
		t.Errorf("%d lines, want the header and 42 items", len(after))
	}
	compareTexts(t, whole, grown)
}
