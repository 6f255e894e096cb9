//go:build cgo

package main

import (
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"

	"proctor/scripts/tools/questions"
)

// trainer holds the state of a run after Optimizer.Steps steps.
type trainer struct {
	recipe     recipe
	vocabulary *Vocabulary
	examples   examples
	params     []float32
	optimizer  *Optimizer
	tokens     int64   // trained on so far
	loss       float64 // smoothed, nats a weighted token

	grads  [shards][]float32
	spaces []*Workspace
}

func newTrainer(r recipe, v *Vocabulary, workers int) *trainer {
	params := r.Shape.Init(questions.NewSource(r.Seed, streamWeights).Rand)
	moments := &Optimizer{First: make([]float32, len(params)), Second: make([]float32, len(params))}
	t := &trainer{recipe: r, vocabulary: v, examples: newExamples(r, v), params: params, optimizer: moments}
	for i := range t.grads {
		t.grads[i] = make([]float32, len(params))
	}
	for range workers {
		t.spaces = append(t.spaces, NewWorkspace(r.Shape, 1024))
	}
	return t
}

func (t *trainer) close() {
	for _, w := range t.spaces {
		w.Close()
	}
}

// run trains until the recipe's end.
func (t *trainer) run(log io.Writer) error {
	for t.optimizer.Steps < t.recipe.total() {
		loss, norm := t.step(t.examples.batch(t.optimizer.Steps))
		if math.IsNaN(loss) || math.IsInf(norm, 0) {
			return fmt.Errorf("step %d: the loss is %v and the gradient %v; lower the rate in recipe.go", t.optimizer.Steps,
				loss, norm)
		}
		if t.optimizer.Steps == 1 {
			t.loss = loss
		}
		t.loss += 0.02 * (loss - t.loss)
		if step := t.optimizer.Steps; step%50 == 0 || step == t.recipe.total() {
			fmt.Fprintf(log, "step %5d/%d  loss %.4f  norm %.2f  rate %.5f  %.1f M tokens\n", step, t.recipe.total(), t.loss,
				norm, t.recipe.rate(step-1), float64(t.tokens)/1e6)
		}
	}
	return nil
}

// step updates the weights once and returns the mean loss and the gradient's norm.
func (t *trainer) step(parts [][]Sequence) (loss, norm float64) {
	var weight float64
	for _, part := range parts {
		for _, s := range part {
			t.tokens += int64(len(s.Tokens))
			for _, w := range s.Weights {
				weight += float64(w)
			}
		}
	}
	var losses [shards]float64
	var next atomic.Int32
	var group sync.WaitGroup
	for _, space := range t.spaces {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= shards {
					return
				}
				clear(t.grads[i])
				s := Join(parts[i])
				for j := range s.Weights {
					s.Weights[j] /= float32(weight)
				}
				losses[i] = space.Train(t.params, t.grads[i], s)
			}
		})
	}
	group.Wait()
	for i := 1; i < shards; i++ {
		Accumulate(t.grads[0], t.grads[i])
	}
	for _, l := range losses {
		loss += l
	}
	norm = t.optimizer.Step(t.recipe.Shape, t.params, t.grads[0], t.recipe.rate(t.optimizer.Steps))
	return loss, norm
}
