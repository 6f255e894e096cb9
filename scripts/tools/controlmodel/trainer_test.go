//go:build cgo

package main

import (
	"context"
	"io"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

func smallRecipe(steps int) recipe {
	r := newRecipe(3, steps)
	r.Batch = 512
	r.Shape = Shape{Vocab: 288, Width: 32, Layers: 1, Hidden: 32, RopeBase: 10000, Epsilon: 1e-5}
	return r
}

func smallVocabulary() *Vocabulary { return newVocabulary(3, 288, 5) }

func TestInterruptedRunEndsInTheSameWeights(t *testing.T) {
	v, folder := smallVocabulary(), t.TempDir()
	whole := newTrainer(smallRecipe(8), v, 2)
	defer whole.close()
	assert.NilError(t, whole.run(context.Background(), io.Discard, func() error { return nil }))

	first := newTrainer(smallRecipe(8), v, 1)
	defer first.close()
	for range 3 {
		first.step(first.batch(first.Optimizer.Steps))
	}
	assert.NilError(t, first.save(folder))
	second, found, err := load(folder, 2)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	defer second.close()
	assert.NilError(t, second.run(context.Background(), io.Discard, func() error { return nil }))
	if !slices.Equal(whole.Params, second.Params) || whole.Tokens != second.Tokens {
		t.Error("three steps, a checkpoint and five steps on another number of cores are not the same as eight steps")
	}
}

func TestTrainingLowersTheLoss(t *testing.T) {
	r := smallRecipe(60)
	trainer := newTrainer(r, smallVocabulary(), 2)
	defer trainer.close()
	first, _ := trainer.step(trainer.batch(0))
	assert.NilError(t, trainer.run(context.Background(), io.Discard, func() error { return nil }))
	if trainer.Loss > 0.8*first {
		t.Errorf("loss %.3f at first, %.3f after %d steps", first, trainer.Loss, r.Steps)
	}
}
