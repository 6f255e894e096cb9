//go:build cgo

// Command controlmodel trains proctor's control model and writes it as a GGUF file.
//
//	go run ./scripts/tools/controlmodel [-seed 1] [-steps 10000] [-folder build/control] [-o backends/embedded/control.gguf]
//	go run ./scripts/tools/controlmodel -thinks [-seed 1] [-steps 400] [-folder build/thinker] [-o FILE]
//
// The control masters the form of the questions and knows nothing, so that a harness which lets it score above
// guessing has a leak; on sums, which it is taught, it must be clearly better. Everything is made here from the seed:
// tokenizer (vocabulary.go), text (scripts/tools/questions), gradients (llama.go). The number of steps decides the result, not the time taken,
// and neither do the cores. With -thinks it trains another one, which works sums out between <think> and </think> before it
// answers, for tests of thinking (thinker.go). Interrupted, it keeps a checkpoint in the folder and resumes there when started again.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

func main() {
	seed := flag.Uint64("seed", 1, "random `seed` of tokenizer, text and weights")
	steps := flag.Int("steps", 0, "training `steps` of the main part, 10000 or 400 by default; the finish adds a quarter")
	thinks := flag.Bool("thinks", false, "train the control that thinks")
	folder := flag.String("folder", "", "`folder` of the checkpoint (default build/control or build/thinker)")
	out := flag.String("o", "", "GGUF `file` to write (default: where the repository keeps it)")
	flag.Parse()
	r, checkpoint, kept := newRecipe(*seed, cmp.Or(*steps, defaultSteps)), "build/control", "backends/embedded/control.gguf"
	if *thinks {
		r, checkpoint, kept = newThinker(*seed, cmp.Or(*steps, thinkerSteps)), "build/thinker", "backends/llamacpp/llamatest/thinker.gguf"
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, r, cmp.Or(*folder, checkpoint), cmp.Or(*out, kept)); err != nil {
		fmt.Fprintln(os.Stderr, "controlmodel:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, r recipe, folder, out string) error {
	workers := runtime.GOMAXPROCS(0)
	t, found, err := load(folder, workers)
	if err != nil {
		return err
	}
	if !found {
		t = newTrainer(r, r.vocabulary(), workers)
	} else if t.Recipe != r {
		return fmt.Errorf("%s belongs to another run (seed %d, %d steps); give the same flags, another -folder, or delete it",
			folder, t.Recipe.Seed, t.Recipe.Steps)
	}
	defer t.close()
	fmt.Printf("%d parameters, %d tokens in the vocabulary, step %d of %d, %d cores\n",
		len(t.Params), t.vocabulary.Len(), t.Optimizer.Steps, r.total(), workers)
	if err := t.run(ctx, os.Stdout, func() error { return t.save(folder) }); err != nil {
		return err
	}
	if ctx.Err() != nil {
		fmt.Printf("stopped after step %d; start again to go on\n", t.Optimizer.Steps)
		return nil
	}
	if err := t.writeGGUF(out); err != nil {
		return err
	}
	fmt.Println(out, "written: `make arithmetic` and `proctor run` say what it can do")
	return nil
}
