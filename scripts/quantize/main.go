// Command quantize writes a copy of a GGUF model with its weights stored in another type, by llama.cpp's quantiser.
//
//	go run ./scripts/quantize -type Q8_0 -o model-Q8_0.gguf model-F16.gguf
package main

import (
	"flag"
	"fmt"
	"os"

	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llama"
)

func main() {
	fileType := flag.String("type", "Q8_0", "how to store the weights: F16, Q8_0, Q4_0, Q4_K_M, …")
	out := flag.String("o", "", "the `file` to write")
	flag.Parse()
	if err := run(flag.Args(), *out, *fileType); err != nil {
		fmt.Fprintln(os.Stderr, "quantize:", err)
		os.Exit(2)
	}
}

func run(models []string, out, fileType string) error {
	if len(models) != 1 || out == "" {
		return fmt.Errorf("give one model, and the file to write with -o")
	}
	if _, err := gguf.Open(models[0]); err != nil {
		return err
	}
	part := out + ".part"
	defer os.Remove(part)
	if err := llama.Quantize(models[0], part, fileType); err != nil {
		return err
	}
	file, err := gguf.Open(part)
	if err != nil {
		return err
	}
	if err := os.Rename(part, out); err != nil {
		return err
	}
	fmt.Printf("%s: %s, %.2f bits a weight\n", out, file.FileType(), file.BitsPerWeight())
	return nil
}
