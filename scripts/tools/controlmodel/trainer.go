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

	"proctor/scripts/tools/controlmodel/bpe"
	"proctor/scripts/tools/controlmodel/llama"
	"proctor/scripts/tools/questions"
)

// trainer holds the state of a run after Optimizer.Steps steps.
type trainer struct {
	checkpoint
	vocabulary *bpe.Vocabulary
	examples   lessons
	workers    int
	grads      [shards][]float32
	spaces     []*llama.Workspace
}

// lessons are what a model is trained on, as often as one likes the same.
type lessons interface {
	// batch is the sequences of a step, dealt out to the shards.
	batch(r recipe, step int) [][]llama.Sequence
	// sequence is example number index; lengths aim at limit tokens.
	sequence(index uint64, limit int, long bool) llama.Sequence
	// clone is the same for another goroutine.
	clone() lessons
}

// lessons are the recipe's.
func (r recipe) lessons(v *bpe.Vocabulary) lessons {
	if r.Thinks {
		return sums{seed: r.Seed, vocabulary: v}
	}
	return newExamples(r.Seed, v)
}

func newTrainer(r recipe, v *bpe.Vocabulary, workers int) *trainer {
	params := r.Shape.Init(questions.NewSource(r.Seed, streamWeights).Rand)
	return checkpoint{Recipe: r, Merges: v.Merges, Params: params, Optimizer: llama.NewOptimizer(len(params))}.trainer(workers)
}

// trainer goes on from a checkpoint.
func (c checkpoint) trainer(workers int) *trainer {
	v := bpe.New(c.Recipe.specials(), c.Merges)
	t := &trainer{checkpoint: c, vocabulary: v, workers: workers, examples: c.Recipe.lessons(v)}
	for i := range t.grads {
		t.grads[i] = make([]float32, len(c.Params))
	}
	for range workers {
		t.spaces = append(t.spaces, llama.NewWorkspace(c.Recipe.Shape, 1024))
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
	ahead := make(chan [][]llama.Sequence, 4)
	halt, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		plan := t.examples.clone()
		for step := t.Optimizer.Steps; step < t.Recipe.total(); step++ {
			select {
			case ahead <- plan.batch(t.Recipe, step):
			case <-halt.Done():
				return
			}
		}
	}()
	report, kept := t.reporter(log), time.Now()
	for t.Optimizer.Steps < t.Recipe.total() && ctx.Err() == nil {
		loss, norm := t.step(<-ahead)
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

// reporter prints a line every 50 steps and a probe every 200; speed is that of the latest 50.
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
		if step%200 == 0 {
			fmt.Fprintln(log, t.probe())
		}
	}
}

// step updates the weights once and returns the mean loss and the gradient's norm.
func (t *trainer) step(parts [][]llama.Sequence) (loss, norm float64) {
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
				s := llama.Join(parts[i])
				for j := range s.Weights {
					s.Weights[j] /= float32(weight)
				}
				losses[i] = space.Train(t.Params, t.grads[i], s)
			}
		})
	}
	group.Wait()
	for i := 1; i < shards; i++ {
		llama.Accumulate(t.grads[0], t.grads[i])
	}
	for _, l := range losses {
		loss += l
	}
	norm = t.Optimizer.Step(t.Recipe.Shape, t.Params, t.grads[0], t.Recipe.rate(t.Optimizer.Steps))
	return loss, norm
}

// probe is the loss on 24 new examples, the same each time, apart for each kind of token: 2.3 nats for a letter is
// guessing among ten.
func (t *trainer) probe() string {
	report := "probe"
	for _, kind := range []struct {
		name   string
		weight float32
	}{{"letters", letterWeight}, {"results", resultWeight}, {"own words", plainWeight}, {"prompt", promptWeight}} {
		sum, count := 0.0, 0
		for i := range uint64(24) {
			s := t.examples.sequence(checkExamples+i, 300, false)
			part := llama.Sequence{Tokens: s.Tokens, Positions: s.Positions}
			for j, weight := range s.Weights {
				if weight == kind.weight {
					part.Rows = append(part.Rows, s.Rows[j])
					part.Targets = append(part.Targets, s.Targets[j])
					part.Weights = append(part.Weights, 1)
				}
			}
			sum += t.spaces[0].Loss(t.Params, part)
			count += len(part.Rows)
		}
		report += fmt.Sprintf("  %s %.3f", kind.name, sum/float64(count))
	}
	return report
}
