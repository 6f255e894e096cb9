//go:build cgo

package main

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/x448/float16"
	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp"
	"proctor/scripts/tools/questions"
)

func smallRecipe(steps int) recipe {
	r := newRecipe(3, steps)
	r.Batch = 512
	r.Shape = Shape{Vocab: 288, Width: 32, Layers: 1, Hidden: 32, RopeBase: 10000, Epsilon: 1e-5}
	return r
}

func smallVocabulary() *Vocabulary { return newVocabulary(3, 288, 5) }

func TestTheCoresDoNotDecideTheWeights(t *testing.T) {
	v := smallVocabulary()
	one, two := newTrainer(smallRecipe(8), v, 1), newTrainer(smallRecipe(8), v, 2)
	defer one.close()
	defer two.close()
	assert.NilError(t, one.run(io.Discard))
	assert.NilError(t, two.run(io.Discard))
	assert.Check(t, slices.Equal(one.params, two.params) && one.tokens == two.tokens)
}

func TestTrainingLowersTheLoss(t *testing.T) {
	r := smallRecipe(60)
	trainer := newTrainer(r, smallVocabulary(), 2)
	defer trainer.close()
	first, _ := trainer.step(trainer.examples.batch(0))
	assert.NilError(t, trainer.run(io.Discard))
	assert.Check(t, trainer.loss <= 0.8*first, "loss %.3f at first, %.3f after %d steps", first, trainer.loss, r.Steps)
}

var oddTexts = []string{
	"", "\n", "  two  spaces ", "I'll say it's 3,141.59 — “naïve” café…", "\t\tcode(x) == y[0];\r\n", "日本語とΩmega², ½ kg",
	"A. 47\nB. 48\n\n\nAnswer: Let's think step by step.",
	"emoji 🙂🙂 and \u00a0 spaces\u2003", `$\frac{1}{2}$ ⊃ ~P • Q`, "'s't're", "1234567890 12a34b",
}

// TestLlamaCppReadsTheModelAsItWasMeant writes an untrained model and compares token ids, and the first tokens of
// greedy completions, with llama.cpp's.
func TestLlamaCppReadsTheModelAsItWasMeant(t *testing.T) {
	r := newRecipe(5, 1)
	r.Shape = Shape{Vocab: 512, Width: 64, Layers: 2, Hidden: 96, RopeBase: 500000, Epsilon: 1e-5}
	own := newTrainer(r, newVocabulary(5, 512, 30), 1)
	defer own.close()
	for i, x := range own.params {
		own.params[i] = float16.Fromfloat32(x).Float32()
	}
	path := filepath.Join(t.TempDir(), "model.gguf")
	assert.NilError(t, own.writeGGUF(path))
	engine, err := llamacpp.Open(context.Background(), llamacpp.Options{Settings: backends.Settings{Slots: 1, Threads: 1,
		Context: 1024}, Path: path})
	assert.NilError(t, err)
	defer engine.Close()

	source := questions.NewSource(6, 0)
	texts := append([]string{source.Paragraph(20), source.Expand(strings.Repeat("{tex} {formula} {num}", 30))}, oddTexts...)
	for _, text := range texts {
		got, err := engine.Tokenize(text)
		assert.NilError(t, err)
		want := append([]int32{own.vocabulary.Special(beginToken)}, own.vocabulary.Encode(text)...)
		assert.Check(t, slices.Equal(got, want), "%q\nllama.cpp %v\nhere      %v", text, got, want)
	}

	prompt := source.Paragraph(6)
	w := NewWorkspace(r.Shape, 512)
	defer w.Close()
	tokens := append([]int32{own.vocabulary.Special(beginToken)}, own.vocabulary.Encode(prompt)...)
	want := greedy(w, own.params, tokens, 4)
	request := backends.Request{ID: "1", Prompt: prompt, MaxTokens: 4}
	err = engine.Generate(context.Background(), slices.Values([]backends.Request{request}), func(c backends.Completion) error {
		if text := own.vocabulary.Decode(want); c.Text != strings.ToValidUTF8(text, "\uFFFD") {
			t.Errorf("llama.cpp goes on with %q, the trainer with %q", c.Text, text)
		}
		return nil
	})
	assert.NilError(t, err)
}

// greedy continues a prompt by n tokens, the likeliest each time.
func greedy(w *Workspace, params []float32, prompt []int32, n int) []int32 {
	tokens := slices.Clone(prompt)
	for range n {
		logits := w.Next(params, tokens)
		tokens = append(tokens, int32(slices.Index(logits, slices.Max(logits))))
	}
	return tokens[len(prompt):]
}
