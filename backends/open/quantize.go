package open

import (
	"cmp"
	"context"
	"fmt"

	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/quantize"
	"proctor/backends/machine"
)

// A Source is a model that others are quantised from, and what else decides their bytes.
type Source struct {
	Path             string
	SHA256           string
	Bytes            int64
	Type             string // llama.cpp's file type
	Importance       string // file of an importance matrix; empty for none
	ImportanceSHA256 string
	Engine           string // which llama.cpp quantises
}

// SourceOf reads what a reference means, a GGUF file's or one of Ollama's local store, and takes the checksums.
func SourceOf(ctx context.Context, ref, importance string) (Source, error) {
	file, err := File(ref)
	if err != nil {
		return Source{}, err
	}
	s := Source{Path: file.Path, Bytes: file.TensorBytes(), Type: file.FileType(), Importance: importance, Engine: llama.Version}
	if s.SHA256, err = file.SHA256(ctx); err != nil || importance == "" {
		return s, err
	}
	matrix, err := gguf.Open(importance)
	if err != nil {
		return s, fmt.Errorf("--imatrix %w", err)
	}
	s.ImportanceSHA256, err = matrix.SHA256(ctx)
	return s, err
}

// QuantizedBytes is how large a source's file of a type will be; the error says why there can be none.
func QuantizedBytes(s Source, fileType string) (int64, error) {
	file, err := gguf.Open(s.Path)
	if err != nil {
		return 0, err
	}
	plan, err := quantize.Estimate(file, fileType, s.Importance != "")
	return plan.Bytes, err
}

// Quantize writes a source's model of a type to a file, on so many threads, 0 for the cores that are there.
func Quantize(ctx context.Context, s Source, fileType, to string, threads int, progress func(share float64)) error {
	return quantize.Write(ctx, quantize.Options{
		Source: s.Path, Target: to, Type: fileType, Threads: cmp.Or(threads, machine.Cores()), Imatrix: s.Importance,
		Progress: func(p quantize.Progress) { progress(p.Share) },
	})
}
