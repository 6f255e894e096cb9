package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/backends/llamacpp/llama"
)

// TestGoldenCompletions detects an engine whose texts change: the control model's answers to a question of every subject, and to a few in
// other forms, greedily and with one slot. An engine compiled for another CPU rounds sums differently, so that a choice between two options
// of nearly the same probability may differ; then one text in ten may.
func TestGoldenCompletions(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"mmlu_pro": {"--limit", "14"},
		"binary":   {"--limit", "1", "--subjects", "math", "--tasks", "mmlu_pro_binary"},
		"chat":     {"--limit", "3", "--subjects", "law,math,physics", "--prompt", "turns"},
	} {
		t.Run(name, func(t *testing.T) {
			got := completions(t, flags)
			file := "completions-" + name + ".txt"
			if golden.FlagUpdate() {
				golden.Assert(t, got, file)
				return
			}
			want := string(golden.Get(t, file))
			if engine, _, _ := strings.Cut(want, "\n"); strings.HasPrefix(got, engine+"\n") {
				golden.Assert(t, got, file)
				return
			}
			compareMost(t, got, want)
		})
	}
}

// completions runs the control model and lists its texts, after a line with the CPU that the engine was compiled for.
func completions(t *testing.T, flags []string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "run")
	run(t, append([]string{"run", "--quiet", "--threads", "1", "--slots", "1", "--seed", "3", "--out", folder}, flags...)...)
	kept := loaded(t, folder)
	var texts strings.Builder
	fmt.Fprintln(&texts, "engine", strings.Join(llama.Builtin().DescribeCPU().Compiled, " "))
	for _, record := range kept.Records {
		fmt.Fprintf(&texts, "%s %q\n", record.ID, record.Text)
	}
	return texts.String()
}

// compareMost requires nine texts in ten to be equal, rounded up to one that may differ.
func compareMost(t *testing.T, got, want string) {
	t.Helper()
	gotLines, wantLines := strings.Split(got, "\n")[1:], strings.Split(want, "\n")[1:]
	assert.Assert(t, len(gotLines) == len(wantLines), "%d texts, want %d", len(gotLines)-1, len(wantLines)-1)
	differ := 0
	for i := range gotLines {
		if gotLines[i] != wantLines[i] {
			differ++
			t.Logf("on this CPU %s, elsewhere %s", gotLines[i], wantLines[i])
		}
	}
	most := (len(gotLines) + 9) / 10
	assert.Check(t, differ <= most, "%d texts differ from those of another CPU, at most %d may", differ, most)
}
