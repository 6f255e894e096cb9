package main

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llama"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/sharedtest"
)

// A run with 16 slots, one with a slot that was killed and resumed, and llama.cpp alone give the letters the same probabilities.
func TestTheLettersProbabilitiesAreTheSameHoweverTheyAreComputed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	whole, killed, plain := filepath.Join(folder, "whole"), filepath.Join(folder, "killed"), filepath.Join(folder, "plain")
	args := func(slots string, more ...string) []string {
		return append([]string{"run", "--quiet", "--direct", "--threads", "1", "--slots", slots, "--limit", "14"}, more...)
	}
	run(t, args("16", "--out", whole)...)
	beginAndKill(t, killed, args("1", "--out"), func(journal []byte) bool { return bytes.Count(journal, []byte("\n")) > 4 })
	half := lettersOf(t, killed)
	run(t, "run", "--quiet", "--resume", killed)
	want, got := lettersOf(t, whole), lettersOf(t, killed)
	assert.Assert(t, len(half) < len(want) && len(want) == 14 && len(got) == len(want),
		"%d of %d items when it was killed, then %d", len(half), len(want), len(got))
	for id, letters := range want {
		if kernels.Available() && !slices.Equal(letters, got[id]) {
			t.Errorf("%s: %v with 16 slots, %v with one", id, letters, got[id])
		}
	}
	run(t, args("1", "--kernels", "ggml", "--out", plain)...)
	checkPlainly(t, plain, 2)
}

func lettersOf(t *testing.T, run string) map[string][]float64 {
	t.Helper()
	kept := loaded(t, run)
	all := map[string][]float64{}
	for _, r := range kept.Records {
		all[r.ID] = r.LetterLogprobs
		if best := slices.Max(r.LetterLogprobs); r.Text != journaltest.Letter(slices.Index(r.LetterLogprobs, best)) ||
			len(r.LetterLogprobs) != r.Options || r.Usage.OutputTokens != 0 {
			t.Errorf("%s: %q of %v, %d tokens generated", r.ID, r.Text, r.LetterLogprobs, r.Usage.OutputTokens)
		}
	}
	return all
}

// checkPlainly compares the first items of a run of the embedded model with a plain softmax, in double precision, of llama.cpp's logits
// after the whole prompt.
func checkPlainly(t *testing.T, run string, items int) {
	t.Helper()
	kept := loaded(t, run)
	path := modelPath(t)
	vocabulary, err := llamacpp.OpenVocabulary(path, "")
	assert.NilError(t, err)
	defer vocabulary.Close()
	model, err := llama.Builtin().Load(t.Context(), path, llama.LoadOptions{})
	assert.NilError(t, err)
	defer model.Close()
	info := kept.Header.Backend
	info.Batch, info.Context = 2048, 2048
	computing, err := model.NewEngine(engine.Settings{EngineInfo: info})
	assert.NilError(t, err)
	defer computing.Close()
	spellings := fmt.Sprintf("%q", kept.Header.Direct.Spellings)
	assert.Assert(t, spellings == `["A" " A"]`, "A is written by %s", spellings)
	for _, r := range kept.Records[:items] {
		tokens, err := vocabulary.Tokenize(kept.Header.Preambles[r.Subject] + r.Prompt)
		assert.NilError(t, err)
		computing.Clear()
		var batch engine.Batch
		for i, token := range tokens {
			batch = append(batch, engine.Token{ID: token, Position: int32(i), Draw: i == len(tokens)-1})
		}
		_, err = computing.Decode(batch)
		assert.NilError(t, err)
		scores := computing.Scores(len(batch) - 1)
		mass := 0.0
		for _, s := range scores {
			mass += math.Exp(float64(s))
		}
		for i, got := range r.LetterLogprobs {
			letter, want := journaltest.Letter(i), 0.0
			for _, spelling := range []string{letter, " " + letter} {
				token, found := vocabulary.TokenOf(spelling)
				assert.Assert(t, found, "no token %q", spelling)
				want += math.Exp(float64(scores[token])) / mass
			}
			assert.Check(t, math.Abs(got-math.Log(want)) <= 1e-4*math.Abs(math.Log(want)),
				"%s, %s: %.9f, plainly %.9f", r.ID, letter, got, math.Log(want))
		}
	}
}

// Checks common vocabularies: how Phi-3's, which is like Llama 2's, splits a letter after the prompt's last words.
func TestALetterBehindABracketIsATokenOfItsOwn(t *testing.T) {
	vocabulary, err := llamacpp.OpenVocabulary(sharedtest.Path(t, "models/vocab-phi-3.gguf"), "")
	assert.NilError(t, err)
	defer vocabulary.Close()
	for _, prompt := range []string{"Answer: The answer is (", "Answer:", "<|assistant|>\nThe answer is ("} {
		before, err := vocabulary.Tokenize(prompt)
		assert.NilError(t, err)
		for i := range 10 {
			letter := journaltest.Letter(i)
			after, err := vocabulary.Tokenize(prompt + letter)
			shared := backends.CommonPrefix(before, after)
			assert.Check(t, err == nil && shared == len(before) && len(after) == shared+1 && vocabulary.Piece(after[shared]) == letter,
				"%s behind %q: %v behind %v, %v", letter, prompt, after[shared:], before[shared:], err)
			_, found := vocabulary.TokenOf(" " + letter)
			assert.Check(t, found, "no token of %s with a space", letter)
		}
	}
}
