// Command randommodel writes a GGUF model of architecture llama with random weights, for benchmarks and tests.
//
//	go run ./scripts/randommodel -params 100M -type Q4_K_M -o model.gguf [-vocab other.gguf] [-seed 1]
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/llamatest"
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
	fileType := flags.String("type", "F16", "how to store the weights: F16, Q8_0, Q4_K_M, …")
	out := flags.String("o", "", "the `file` to write")
	seed := flags.Uint64("seed", 1, "of the random numbers")
	flags.Parse(args)
	if *out == "" || flags.NArg() > 0 {
		flags.Usage()
		return fmt.Errorf("give the file to write with -o, and nothing else")
	}
	parameters, err := count(*size)
	if err != nil {
		return err
	}
	words := llamatest.SmallVocabulary()
	if *vocabulary != "" {
		if words, err = llamatest.VocabularyOf(*vocabulary); err != nil {
			return err
		}
	}
	shape, err := llamatest.Sized(parameters, words.Size())
	if err != nil {
		return err
	}
	m := llamatest.Model{Name: "random " + *size, Vocabulary: words, Shape: shape, Seed: *seed}
	if *fileType == "F16" {
		err = llamatest.Write(*out, m)
	} else {
		whole := *out + ".f16"
		defer os.Remove(whole)
		if err = llamatest.Write(whole, m); err == nil {
			err = llama.Quantize(whole, *out, *fileType)
		}
	}
	if err != nil {
		return err
	}
	file, err := gguf.Open(*out)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s, %d parameters, %s, %d bytes\n", *out, file.Architecture(), file.Parameters(), file.FileType(), file.Size)
	return nil
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
