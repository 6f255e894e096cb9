package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels"
	"proctor/runner/ask/sweep"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// TestOlderJournalsAreReportedAndGoOn resumes the runs of testdata/v1, written by a proctor of 27 November 2026 and lacking their last
// line: the new line must be as it was then, and nothing before it may change.
func TestOlderJournalsAreReportedAndGoOn(t *testing.T) {
	if len(kernels.Supported()) == 0 {
		t.Skip("their answers are those of proctor's kernels, of which this CPU has none")
	}
	here := t.TempDir()
	assert.NilError(t, os.CopyFS(here, os.DirFS("testdata/v1")))
	proctor := func(args ...string) ([]byte, error) {
		command := exec.Command("proctor", args...)
		command.Dir = here
		return command.CombinedOutput()
	}
	for _, name := range []string{"mcq", "binary", "circular", "chat", "lora", "shard", "decided"} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(here, name, journal.FileName)
			before, err := os.ReadFile(file)
			assert.NilError(t, err)
			said, err := proctor("report", name)
			assert.NilError(t, err, "%s", said)
			said, err = proctor("run", "--resume", name, "--quiet")
			if bytes.Contains(said, []byte("backend.features (journal: ")) {
				t.Skip("ggml's kernels wrote it on a CPU with other features")
			}
			assert.NilError(t, err, "%s", said)
			after, err := os.ReadFile(file)
			assert.NilError(t, err)
			assert.Check(t, bytes.HasPrefix(after, before) && len(after) > len(before), "what was there changed")
			last, err := os.ReadFile(filepath.Join(here, name, "last.jsonl"))
			assert.NilError(t, err)
			kept, was := ended(t, name, after), ended(t, name, append(before, last...))
			assert.Equal(t, len(kept.Records), len(was.Records))
			assert.Equal(t, len(kept.Interims), len(was.Interims))
			for i := range kept.Records {
				a, b := &kept.Records[i], &was.Records[i]
				assert.Check(t, a.ID == b.ID && a.Text == b.Text && a.Prompt == b.Prompt && len(a.Forks) == len(b.Forks), "%+v, want %+v", a, b)
			}
		})
	}
}

// TestARunWithAdaptersGoesOn checks that each adapter of a resumed run keeps its scale.
func TestARunWithAdaptersGoesOn(t *testing.T) {
	out, adapter := filepath.Join(t.TempDir(), "run"), "testdata/v1/adapter.gguf"
	run(t, "run", "--limit", "2", "--max-tokens", "8", "--shots", "0", "--threads", "1", "--quiet", "--lora", adapter+"=0.5", "--out", out)
	kept, err := journaltest.Load(out)
	assert.NilError(t, err)
	assert.DeepEqual(t, kept.Header.Flags["lora"], []string{adapter + "=0.5"})
	content, err := os.ReadFile(journal.File(out))
	assert.NilError(t, err)
	assert.NilError(t, os.WriteFile(journal.File(out), content[:len(content)-2], 0o644)) // as a killed process leaves it
	run(t, "run", "--resume", out, "--quiet")
	again, err := journaltest.Load(out)
	assert.NilError(t, err)
	assert.Equal(t, len(again.Records), 2)
	assert.Equal(t, again.Records[1].Text, kept.Records[1].Text)
}

// TestAForeignSweepWritesWhereItsOwnerSays forges a document and its fingerprint: the document's flags of one call are ignored.
func TestAForeignSweepWritesWhereItsOwnerSays(t *testing.T) {
	here := t.TempDir()
	out, elsewhere := filepath.Join(here, "swept"), filepath.Join(here, "elsewhere")
	run(t, "sweep", "embedded", "--kv-type", "f16,q8_0", "--limit", "1", "--max-tokens", "4", "--shots", "0", "--threads", "1", "--quiet", "--out", out)
	forged, err := sweep.Load(out)
	assert.NilError(t, err)
	forged.Flags["plots"] = []string{elsewhere}
	sum := sha256.New()
	parts := []any{forged.Models, forged.Flags}
	for _, c := range forged.Candidates {
		parts = append(parts, c.Candidate)
	}
	for _, part := range parts {
		text, err := json.Marshal(part)
		assert.NilError(t, err)
		sum.Write(text)
	}
	forged.Fingerprint = hex.EncodeToString(sum.Sum(nil))
	text, err := json.Marshal(forged)
	assert.NilError(t, err)
	assert.NilError(t, os.WriteFile(filepath.Join(out, sweep.FileName), text, 0o644))
	run(t, "sweep", "--resume", out)
	_, err = os.Stat(elsewhere)
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

// ended reads a journal's content.
func ended(t *testing.T, name string, content []byte) *journaltest.Journal {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".jsonl")
	assert.NilError(t, os.WriteFile(path, content, 0o644))
	kept, err := journaltest.Load(path)
	assert.NilError(t, err)
	return kept
}
