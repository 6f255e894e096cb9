package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/runner/ask"
	"proctor/runner/mark/choice"
	"proctor/runner/mark/pairs"
)

// A swept sweep has the figures that must be the same however often it was killed.
type swept struct {
	Texts     map[string]string // by candidate and item
	Distances map[string]any    // mean divergences, by candidate
	Decisions []pairs.Decision
	Sentence  string
}

func sweptIn(t *testing.T, out string) swept {
	t.Helper()
	s := swept{map[string]string{}, map[string]any{}, nil, ""}
	var c choice.Choice
	text, err := os.ReadFile(filepath.Join(out, "choice.json"))
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	assert.NilError(t, err)
	for _, candidate := range c.Candidates {
		for _, r := range loaded(t, filepath.Join(out, candidate.Name)).Records {
			s.Texts[candidate.Name+" "+r.ID] = r.Text
		}
	}
	for _, p := range c.Comparison.Pairs {
		s.Decisions = append(s.Decisions, p.Decision)
		s.Distances[p.B] = p.Changed.B.MeanKLD
	}
	s.Sentence = c.Recommendation.Sentence
	return s
}

// TestAKilledSweepGoesOn kills a sweep while it quantises, asks and scores, and expects the result of an undisturbed one.
func TestAKilledSweepGoesOn(t *testing.T) {
	t.Parallel()
	model := modelPath(t)
	begin := func(folder string) (out, cache string, command []string) {
		out, cache = filepath.Join(folder, "out"), filepath.Join(folder, "cache")
		return out, cache, []string{"sweep", model, "--types", "Q8_0,Q4_0", "--cache", cache, "--out", out, "--limit", "14", "--shots", "1",
			"--max-tokens", "40", "--threads", "1", "--slots", "1", "--quiet"}
	}
	whole, _, command := begin(t.TempDir())
	run(t, command...)
	out, cache, command := begin(t.TempDir())
	scored := func(candidate string) bool {
		text, _ := os.ReadFile(filepath.Join(out, "score.json"))
		return strings.Contains(string(text), `"name": "`+candidate+`"`)
	}
	for _, phase := range []struct {
		name string
		in   func() bool
	}{
		{"quantising", func() bool { left, _ := filepath.Glob(filepath.Join(cache, "*.part-*")); return len(left) > 0 }},
		{"scoring", func() bool { return scored("Q8_0") }},
		{"asking", func() bool {
			text, _ := os.ReadFile(filepath.Join(out, "Q8_0", "journal.jsonl"))
			return strings.Count(string(text), "\n") > 2
		}},
	} {
		killed := killIn(t, command, phase.in)
		t.Logf("killed while %s: %v", phase.name, killed)
		if !killed && phase.name != "quantising" { // which may be too short to be observed
			t.Errorf("the sweep ended before it was %s", phase.name)
		}
		command = []string{"sweep", "--resume", out, "--cache", cache, "--quiet"}
	}
	run(t, command...)
	got, want := sweptIn(t, out), sweptIn(t, whole)
	assert.Check(t, reflect.DeepEqual(got, want), "killed and resumed: %+v\nundisturbed: %+v", got, want)
	if left, _ := filepath.Glob(filepath.Join(cache, "*.gguf.*")); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
}

// killIn kills a command once a condition holds, and says whether it did.
func killIn(t *testing.T, args []string, in func() bool) bool {
	t.Helper()
	cmd := exec.Command("proctor", args...)
	assert.NilError(t, cmd.Start())
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	for {
		select {
		case <-ended:
			return false
		default:
		}
		if in() {
			cmd.Process.Kill()
			<-ended
			return true
		}
		time.Sleep(time.Millisecond)
	}
}

// TestAForeignSweepWritesWhereItsOwnerSays forges what a sweep and a matrix were asked for: flags of one call are
// ignored there.
func TestAForeignSweepWritesWhereItsOwnerSays(t *testing.T) {
	for command, begin := range map[string][]string{
		"sweep": {"sweep", "embedded", "--kv-type", "f16,q8_0"}, "run": {"run", "embedded", modelPath(t)},
	} {
		here := t.TempDir()
		out, elsewhere := filepath.Join(here, "asked"), filepath.Join(here, "elsewhere")
		run(t, append(begin, "--limit", "1", "--max-tokens", "4", "--shots", "0", "--threads", "1", "--quiet", "--out",
			out)...)
		forged, err := ask.AskedIn(out, command)
		assert.NilError(t, err)
		forged.Flags["out"] = []string{elsewhere}
		text, err := json.Marshal(forged)
		assert.NilError(t, err)
		assert.NilError(t, os.WriteFile(filepath.Join(out, command+".json"), text, 0o644))
		run(t, command, "--resume", out)
		_, err = os.Stat(elsewhere)
		assert.ErrorIs(t, err, fs.ErrNotExist)
	}
}
