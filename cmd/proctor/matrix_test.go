package main

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/cmd/proctor/console"
	"proctor/runner/journal"
)

// matrixRun asks two models about two sets, each in a second or more.
func matrixRun(t *testing.T, out string) []string {
	t.Helper()
	set := filepath.Join(filepath.Dir(out), "exam.csv")
	rows := "question,A,B,C,answer\nTwo and two?,3,4,5,B\nThree and three?,6,4,5,A\n"
	assert.NilError(t, os.WriteFile(set, []byte(rows), 0o644))
	return []string{"run", "embedded", modelPath(t), "--data", "sample," + set, "--limit", "14", "--shots", "0",
		"--max-tokens", "60",
		"--threads", "1", "--slots", "1", "--quiet", "--out", out}
}

// journalsIn are the journals below a folder, by their place.
func journalsIn(t *testing.T, out string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, run := range slices.Concat(journal.Runs(out)...) {
		text, err := os.ReadFile(journal.File(run))
		if err == nil {
			all[strings.TrimPrefix(run, out)] = text
		}
	}
	return all
}

// textsIn are the answers of a finished matrix.
func textsIn(t *testing.T, out string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for place := range journalsIn(t, out) {
		for _, r := range loaded(t, out+place).Records {
			all[place+" "+r.ID] = r.Text
		}
	}
	return all
}

// TestAKilledMatrixIsResumedFromItsFolderAlone kills a run of several models and sets again and again, at random
// places, and once has it write to a disk that is full. Its folder alone then gives the answers of an undisturbed one,
// and the figures.
func TestAKilledMatrixIsResumedFromItsFolderAlone(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "out")
	run(t, matrixRun(t, whole)...)
	want := textsIn(t, whole)
	assert.Assert(t, len(want) == 2*(14+2), "%d answers", len(want))

	out := filepath.Join(t.TempDir(), "out")
	command, random := matrixRun(t, out), rand.New(rand.NewPCG(8, 1))
	full := exec.Command("sh", append([]string{"-c", `trap "" XFSZ; ulimit -f 30; exec "$@"`, "sh", "proctor"},
		command...)...)
	said, err := full.CombinedOutput() // as where 15 KiB are left, too few for the journals
	assert.Assert(t, err != nil, "it ends well on a full disk: %s", said)
	assert.Check(t, is.Contains(string(said), "to resume: proctor run --resume "+out))
	assert.Check(t, !bytes.Contains(said, []byte("saved in")), "%s", said)
	for kill := range 4 {
		lines := func() (n int) {
			for _, text := range journalsIn(t, out) {
				n += bytes.Count(text, []byte("\n"))
			}
			return n
		}
		enough := lines() + 1 + random.IntN(8)
		killed := killIn(t, []string{"run", "--resume", out, "--quiet"}, func() bool { return lines() >= enough })
		t.Logf("kill %d at %d lines: %v", kill+1, enough, killed)
	}
	run(t, "run", "--resume", out, "--quiet")
	assert.Check(t, maps.Equal(textsIn(t, out), want), "other answers than an undisturbed run's")
}

// TestOneProcessAsksAMatrixAtATime has a second process come while a first one asks.
func TestOneProcessAsksAMatrixAtATime(t *testing.T) {
	t.Parallel()
	for command, begin := range map[string]func(out string) []string{
		"run": func(out string) []string { return matrixRun(t, out) },
		"sweep": func(out string) []string {
			return []string{"sweep", modelPath(t), "--kv-type", "f16,q8_0", "--limit", "14", "--shots", "1", "--max-tokens",
				"60", "--threads", "1",
				"--quiet", "--out", out}
		},
	} {
		out := filepath.Join(t.TempDir(), "out")
		first := exec.Command("proctor", begin(out)...)
		assert.NilError(t, first.Start())
		waitUntil(t, "it asks", func() bool { return len(journalsIn(t, out)) > 0 })
		before, err := os.ReadFile(filepath.Join(out, command+".json"))
		assert.NilError(t, err)
		second := exec.Command("proctor", command, "--resume", out, "--quiet")
		said, _ := second.CombinedOutput()
		assert.Check(t, second.ProcessState.ExitCode() == console.ExitUsage &&
			strings.Contains(string(said), "another process"), "%s: %s", command, said)
		assert.NilError(t, first.Wait())
		after, err := os.ReadFile(filepath.Join(out, command+".json"))
		assert.Check(t, err == nil && bytes.Equal(before, after))
		run(t, command, "--resume", out, "--quiet")
	}
}
