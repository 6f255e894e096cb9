//go:build cgo

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"proctor/scripts/tools/questions"
)

// trainer holds the state of a run after Optimizer.Steps steps.
type trainer struct {
	checkpoint
	vocabulary *Vocabulary
	batch      func(step int) [][]Sequence
	grads      [shards][]float32
	spaces     []*Workspace
}

// lessons invents the sequences of a step, always the same ones, dealt out to the shards.
func (r recipe) lessons(v *Vocabulary) func(step int) [][]Sequence {
	if r.Thinks {
		return sums{r, v}.batch
	}
	return newExamples(r, v).batch
}

func newTrainer(r recipe, v *Vocabulary, workers int) *trainer {
	params := r.Shape.Init(questions.NewSource(r.Seed, streamWeights).Rand)
	moments := &Optimizer{First: make([]float32, len(params)), Second: make([]float32, len(params))}
	return checkpoint{Recipe: r, Merges: v.Merges, Params: params, Optimizer: moments}.trainer(workers)
}

// trainer resumes from a checkpoint.
func (c checkpoint) trainer(workers int) *trainer {
	v := vocabularyOf(c.Recipe.specials(), c.Merges)
	t := &trainer{checkpoint: c, vocabulary: v, batch: c.Recipe.lessons(v)}
	for i := range t.grads {
		t.grads[i] = make([]float32, len(c.Params))
	}
	for range workers {
		t.spaces = append(t.spaces, NewWorkspace(c.Recipe.Shape, 1024))
	}
	return t
}

func (t *trainer) close() {
	for _, w := range t.spaces {
		w.Close()
	}
}

// run trains until the recipe's end or until ctx is done, calling keep now and then and at the end.
func (t *trainer) run(ctx context.Context, log io.Writer, keep func() error) error {
	report, kept := t.reporter(log), time.Now()
	for t.Optimizer.Steps < t.Recipe.total() && ctx.Err() == nil {
		loss, norm := t.step(t.batch(t.Optimizer.Steps))
		if math.IsNaN(loss) || math.IsInf(norm, 0) {
			return fmt.Errorf("step %d: the loss is %v and the gradient %v; lower the rate in recipe.go", t.Optimizer.Steps, loss, norm)
		}
		if t.Optimizer.Steps == 1 {
			t.Loss = loss
		}
		t.Loss += 0.02 * (loss - t.Loss)
		report(norm)
		if time.Since(kept) > 30*time.Second {
			if err := keep(); err != nil {
				return err
			}
			kept = time.Now()
		}
	}
	return keep()
}

// reporter prints a line every 50 steps, with the speed over the latest 50.
func (t *trainer) reporter(log io.Writer) func(norm float64) {
	since, tokens := time.Now(), t.Tokens
	return func(norm float64) {
		step := t.Optimizer.Steps
		if step%50 != 0 && step != t.Recipe.total() {
			return
		}
		speed := float64(t.Tokens-tokens) / time.Since(since).Seconds()
		left := time.Duration(float64(t.Recipe.work(step)) / speed * float64(time.Second))
		since, tokens = time.Now(), t.Tokens
		fmt.Fprintf(log, "step %5d/%d  loss %.4f  norm %.2f  rate %.5f  %.1f M tokens  %.0f tokens/s  %v left\n",
			step, t.Recipe.total(), t.Loss, norm, t.Recipe.rate(step-1), float64(t.Tokens)/1e6, speed, left.Round(time.Second))
	}
}

// step updates the weights once and returns the mean loss and the gradient's norm.
func (t *trainer) step(parts [][]Sequence) (loss, norm float64) {
	var weight float64
	for _, part := range parts {
		for _, s := range part {
			t.Tokens += int64(len(s.Tokens))
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
				losses[i] = space.Train(t.Params, t.grads[i], s)
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
	norm = t.Optimizer.Step(t.Recipe.Shape, t.Params, t.grads[0], t.Recipe.rate(t.Optimizer.Steps))
	return loss, norm
}
