// Command randommodel writes a GGUF model with random weights, for benchmarks and tests.
//
//	go run ./scripts/tools/randommodel -params 100M -type Q4_K_M -o model.gguf [-vocab other.gguf] [-seed 1]
//	go run ./scripts/tools/randommodel -params 100M -arch granitehybrid -type Q4_K_M -o hybrid.gguf
//	go run ./scripts/tools/randommodel -params 5M -head 24 -type F16 -o narrow.gguf
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/quantize"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "randommodel:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("randommodel", flag.ExitOnError)
	vocabulary := flags.String("vocab", "", "take the vocabulary of this GGUF `file` (default: a small one of its own)")
	size := flags.String("params", "100M", "`number` of parameters, with K, M or B")
	architecture := flags.String("arch", string(llamatest.Llama), fmt.Sprintf("its `architecture`: one of %s; -params then is what a "+
		"llama of the same width and depth has", names()))
	head := flags.Int("head", 0, "make its heads this `wide`, and itself as wide as whole ones (default: 64)")
	fileType := flags.String("type", "F16", "how to store the weights: F16, Q8_0, Q4_K_M, …")
	out := flags.String("o", "", "the `file` to write")
	seed := flags.Uint64("seed", 1, "of the random numbers")
	flags.Parse(args)
	if *out == "" || flags.NArg() > 0 {
		flags.Usage()
		return fmt.Errorf("give the file to write with -o, and nothing else")
	}
	whole := *out + ".f16"
	defer os.Remove(whole)
	if err := invent(whole, *size, *architecture, *head, *vocabulary, *seed); err != nil {
		return err
	}
	all := quantize.Options{Source: whole, Target: *out, Type: *fileType, Threads: runtime.NumCPU(),
		Engine: llama.Builtin()}
	if err := quantize.Write(context.Background(), all); err != nil {
		return err
	}
	file, err := gguf.Open(*out)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s, %d parameters, %s, %d bytes\n", *out, file.Architecture(), file.Parameters(), file.FileType(), file.Size)
	return nil
}

// invent writes random weights.
func invent(path, size, architecture string, head int, vocabulary string, seed uint64) error {
	built := llamatest.Architecture(architecture)
	if !slices.Contains(llamatest.Architectures(), built) {
		return fmt.Errorf("-arch %s: not one of %s", architecture, names())
	}
	parameters, err := count(size)
	if err != nil {
		return err
	}
	words := llamatest.SmallVocabulary()
	if vocabulary != "" {
		if words, err = llamatest.VocabularyOf(vocabulary); err != nil {
			return err
		}
	}
	shape, err := llamatest.Sized(parameters, words.Size())
	if err != nil {
		return err
	}
	switch {
	case head < 0 || head > shape.Width || head%2 != 0:
		return fmt.Errorf("-head %d: not an even number up to the model's width, %d", head, shape.Width)
	case head > 0:
		shape.Heads = shape.Width / head / shape.KVHeads * shape.KVHeads
		shape.Width = shape.Heads * head
	}
	shape.Layers = max(shape.Layers, built.LeastLayers())
	return llamatest.Write(path, llamatest.Model{
		Name: "random " + size, Architecture: built, Vocabulary: words, Shape: shape, Seed: seed,
	})
}

// names lists the architectures.
func names() string {
	var all []string
	for _, a := range llamatest.Architectures() {
		all = append(all, string(a))
	}
	return strings.Join(all, ", ")
}

// count reads a number such as 100M.
func count(text string) (int64, error) {
	digits := strings.TrimRight(text, "KMB")
	factor, known := map[string]float64{"": 1, "K": 1e3, "M": 1e6, "B": 1e9}[strings.TrimPrefix(text, digits)]
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !known || n <= 0 || n > 1e12 {
		return 0, fmt.Errorf("-params %s: not a number of parameters such as 500K, 100M or 7B", text)
	}
	return int64(n * factor), nil
}
