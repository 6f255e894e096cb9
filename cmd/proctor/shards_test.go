package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// shardedRun is short, and on one slot, so that every text is reproducible.
var shardedRun = []string{"run", "--quiet", "--threads", "1", "--slots", "1", "--limit", "32", "--shots", "1", "--max-tokens", "32"}

// TestShardsMergeToTheWholeRun asks a run in shards, kills one of them, and expects the report of the run that was never divided.
func TestShardsMergeToTheWholeRun(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	whole := filepath.Join(folder, "whole")
	run(t, append(shardedRun, "--out", whole)...)
	want := reportOf(t, run(t, "report", whole, "--format", "json"))
	for _, count := range []int{3, 16} {
		var shards []string
		for index := 1; index <= count; index++ {
			out := filepath.Join(folder, fmt.Sprintf("of%d", count), fmt.Sprint(index))
			shards = append(shards, out)
			args := append(slices.Clone(shardedRun), "--resume", "--shard", fmt.Sprintf("%d/%d", index, count), "--out")
			if count == 3 && index == 2 {
				killAfterOne(t, out, args)
			}
			run(t, append(args, out)...)
		}
		slices.Reverse(shards)
		merged := filepath.Join(folder, fmt.Sprintf("merged%d", count))
		run(t, append([]string{"merge", "-o", merged}, shards...)...)
		if got := reportOf(t, run(t, "report", merged, "--format", "json")); !reflect.DeepEqual(got, want) {
			t.Errorf("%d shards: the merged run's report differs from the whole run's:\n%v\n%v", count, got, want)
		}
		compareTexts(t, whole, merged)
	}
}

// killAfterOne kills a shard as soon as it has an answer.
func killAfterOne(t *testing.T, out string, args []string) {
	t.Helper()
	beginAndKill(t, out, args, func(content []byte) bool { return bytes.Count(content, []byte("\n")) > 2 })
	if n := len(lines(t, out)); n > 11 {
		t.Fatalf("it has %d lines: it was killed too late to show anything", n)
	}
}
