//go:build cgo

// Command controlmodel trains proctor's control model and writes it as a GGUF file.
//
//	go run ./scripts/tools/controlmodel [-seed 1] [-steps 10000] [-o backends/embedded/control.gguf]
//
// The control masters the form of the questions and knows nothing, so that a harness which lets it score above
// guessing has a leak; on sums, which it is taught, it must be clearly better. Everything is made here from the seed:
// tokenizer (vocabulary.go), text (scripts/tools/questions), gradients (llama.go). The number of steps decides the result, not the time taken,
// and neither do the cores.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
)

func main() {
	seed := flag.Uint64("seed", 1, "random `seed` of tokenizer, text and weights")
	steps := flag.Int("steps", 10000, "training `steps` of the main part; the finish adds a quarter")
	out := flag.String("o", "backends/embedded/control.gguf", "GGUF `file` to write")
	flag.Parse()
	if err := run(newRecipe(*seed, *steps), *out); err != nil {
		fmt.Fprintln(os.Stderr, "controlmodel:", err)
		os.Exit(1)
	}
}

func run(r recipe, out string) error {
	workers := runtime.GOMAXPROCS(0)
	t := newTrainer(r, newVocabulary(r.Seed, r.Shape.Vocab, 1500), workers)
	defer t.close()
	fmt.Printf("%d parameters, %d tokens in the vocabulary, %d steps, %d cores\n", len(t.params), t.vocabulary.Len(),
		r.total(), workers)
	if err := t.run(os.Stdout); err != nil {
		return err
	}
	if err := t.writeGGUF(out); err != nil {
		return err
	}
	fmt.Println(out, "written: `make arithmetic` and `proctor run` say what it can do")
	return nil
}
