package main

import (
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/embedded"
	"proctor/backends/ollama/ollamatest"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/grade"
)

// control starts a real server that holds the control model, for the runs that follow. Without flash attention it reads
// long prompts seven times as fast on a CPU.
func control(t *testing.T, parallel int) *ollamatest.Server {
	t.Helper()
	s := ollamatest.New(t, ollamatest.Options{Parallel: parallel, Env: []string{"OLLAMA_FLASH_ATTENTION=0"}})
	assert.NilError(t, s.Create(t.Context(), "control", modelPath(t), ""))
	t.Setenv("OLLAMA_HOST", s.Host())
	t.Setenv("OLLAMA_MODELS", s.Models())
	return s
}

// TestOllamaAnswersAsTheEngineDoes asks the same file two questions of every subject, by a real server and in-process,
// one item at a time and greedily. The texts differ where the model writes bytes that are no UTF-8: Ollama leaves out such
// a piece of text, the engine writes U+FFFD.
func TestOllamaAnswersAsTheEngineDoes(t *testing.T) {
	control(t, 1)
	folder := t.TempDir()
	served, inProcess := filepath.Join(folder, "served"), filepath.Join(folder, "in-process")
	run(t, "run", "--quiet", "--threads", "1", "--model", "ollama:control", "--limit", "28", "--out", served, "--concurrency", "1")
	run(t, "run", "--quiet", "--threads", "1", "--model", modelPath(t), "--limit", "28", "--out", inProcess, "--slots", "1")

	theirs, ours := loaded(t, served), loaded(t, inProcess)
	assert.Check(t, theirs.Header.Model.FileSHA256 == ours.Header.Model.FileSHA256 && ours.Header.Model.FileSHA256 == embedded.Digest(),
		"the server ran the file %s, the engine %s", theirs.Header.Model.FileSHA256, ours.Header.Model.FileSHA256)
	compareItems(t, theirs, ours)
}

// compareItems demands the same prompts with the same numbers of tokens, and the same letter in 19 items of 20.
func compareItems(t *testing.T, theirs, ours *journaltest.Journal) {
	t.Helper()
	rules, err := grade.Lookup(ours.Header.RuleSet)
	assert.NilError(t, err)
	records := map[string]journal.Record{}
	for _, r := range theirs.Records {
		records[r.ID] = r
	}
	same, verbatim := 0, 0
	for _, our := range ours.Records {
		their, there := records[our.ID]
		prompt := ours.Header.Preambles[our.Subject] + our.Prompt
		if !there || theirs.Header.Preambles[their.Subject]+their.Prompt != prompt || their.Usage.PromptTokens != our.Usage.PromptTokens {
			t.Errorf("%s: the server got another prompt (%d tokens, %d in-process)",
				our.ID, their.Usage.PromptTokens, our.Usage.PromptTokens)
		}
		theirMark, ourMark := rules.Mark(&theirs.Header, &their), rules.Mark(&ours.Header, &our)
		if theirMark.Letter == ourMark.Letter {
			same++
		}
		if their.Text == our.Text {
			verbatim++
		} else {
			t.Logf("%s: by the server %q, in-process %q", our.ID, their.Text, our.Text)
		}
	}
	n := len(ours.Records)
	t.Logf("%d items: %d with the same letter, %d with the same text", n, same, verbatim)
	assert.Check(t, len(records) == n && same*20 >= n*19,
		"%d of %d items have the same letter (%d from the server), at least 95 %% must", same, n, len(records))
}
