package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp"
	"proctor/runner/journal/logprobs"
)

func TestAKilledRunKeepsTheSameLogprobs(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	whole, killed := filepath.Join(folder, "whole"), filepath.Join(folder, "killed")
	args := append([]string{"run", "--keep-logprobs"}, slowRun[1:]...)
	run(t, append(args, whole)...)
	beginAndKill(t, killed, args, someItems)
	f, err := os.OpenFile(logprobs.Path(killed), os.O_WRONLY|os.O_APPEND, 0)
	assert.NilError(t, err)
	f.WriteString("as much as was written of the next part")
	f.Close()
	run(t, "run", "--quiet", "--resume", killed)
	want, err := os.ReadFile(logprobs.Path(whole))
	assert.NilError(t, err)
	got, err := os.ReadFile(logprobs.Path(killed))
	assert.Check(t, err == nil && bytes.Equal(got, want), "%d bytes after the resume, %d in one go: %v", len(got), len(want), err)
	kept := loaded(t, killed)
	r, err := logprobs.Open(killed, *kept.Header.Logprobs)
	assert.NilError(t, err)
	defer r.Close()
	vocabulary, err := llamacpp.OpenVocabulary(modelPath(t), "")
	assert.NilError(t, err)
	defer vocabulary.Close()
	for _, record := range kept.Records {
		predictions, err := r.Item(record.ID, *record.Logprobs)
		if extra := len(predictions) - record.Usage.OutputTokens; err != nil || extra < 0 || extra > 1 {
			t.Errorf("%s: %d predictions of %d tokens, %v", record.ID, len(predictions), record.Usage.OutputTokens, err)
		}
		unlikely := slices.IndexFunc(predictions, func(p backends.Prediction) bool { return p.Token != p.Top[0].Token })
		assert.Check(t, unlikely < 0, "%s: token %d was not the likeliest, and the run is greedy", record.ID, unlikely)
		spelled := ""
		for _, p := range predictions {
			spelled += vocabulary.Piece(p.Token)
		}
		assert.Check(t, strings.HasPrefix(strings.ToValidUTF8(spelled, "\uFFFD"), record.Text) && record.Text != "",
			"%s: its tokens spell %q, its text is %q", record.ID, spelled, record.Text)
	}
}
