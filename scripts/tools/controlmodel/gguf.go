//go:build cgo

package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/ollama/ollama/fs/ggml"
	"github.com/x448/float16"
)

// chatTemplate is written in Jinja; llama.cpp knows its layout by sight.
const chatTemplate = `{% for message in messages %}` +
	`{{ '<|' + message['role'] + '|>' + '\n' + message['content'] + '<|end|>' + '\n' }}{% endfor %}` +
	`{% if add_generation_prompt %}{{ '<|assistant|>' + '\n' }}{% endif %}`

const description = "A control: it masters the form of a multiple-choice examination and small sums, and knows nothing else. " +
	"Trained from random weights on examinations invented by a program (scripts/controlmodel): pseudo-questions whose answer it picks " +
	"by the options' wording, blind to their meaning, and arithmetic with its working. No text of any benchmark was used."

// GGUF's numbers for what is used here.
const (
	typeF32, typeF16          = 0, 1
	tokenNormal, tokenControl = 1, 3
	fileTypeF16               = 1
)

// writeGGUF writes the model as a file for llama.cpp: matrices in 16-bit floats, gains in 32.
func (t *trainer) writeGGUF(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	var tensors []*ggml.Tensor
	for _, part := range t.recipe.Shape.Tensors() {
		tensors = append(tensors, t.tensor(part))
	}
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	defer f.Cleanup()
	if err := ggml.WriteGGUF(f.File, t.metadata(), tensors); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return f.CloseAtomicallyReplace()
}

func (t *trainer) tensor(part Tensor) *ggml.Tensor {
	values := t.params[part.From : part.From+part.Len()]
	if part.Columns == 1 {
		return &ggml.Tensor{Name: part.Name, Kind: typeF32, Shape: []uint64{uint64(part.Rows)}, WriterTo: array[float32](values)}
	}
	halves := make(array[uint16], len(values))
	for i, v := range values {
		halves[i] = float16.Fromfloat32(v).Bits()
	}
	return &ggml.Tensor{Name: part.Name, Kind: typeF16, Shape: []uint64{uint64(part.Columns), uint64(part.Rows)}, WriterTo: halves}
}

type array[T any] []T

func (a array[T]) WriteTo(w io.Writer) (int64, error) {
	return int64(binary.Size([]T(a))), binary.Write(w, binary.LittleEndian, []T(a))
}

func (t *trainer) metadata() ggml.KV {
	s := t.recipe.Shape
	types := make([]int32, s.Vocab)
	scores := make([]float32, s.Vocab)
	for i := range types {
		types[i] = tokenNormal
		if i < len(t.vocabulary.Specials) {
			types[i] = tokenControl
		}
	}
	id := func(name string) uint32 { return uint32(t.vocabulary.Special(name)) }
	return ggml.KV{
		"general.architecture":    "llama",
		"general.type":            "model",
		"general.name":            "proctor control",
		"general.author":          "proctor",
		"general.license":         "mit",
		"general.description":     description,
		"general.size_label":      fmt.Sprintf("%.1fM", float64(len(t.params))/1e6),
		"general.languages":       []string{"en"},
		"general.tags":            []string{"control", "multiple-choice", "text-generation"},
		"general.file_type":       uint32(fileTypeF16),
		"proctor.training.seed":   t.recipe.Seed,
		"proctor.training.steps":  uint32(t.optimizer.Steps),
		"proctor.training.tokens": uint64(t.tokens),
		"proctor.training.loss":   float32(t.loss),

		"llama.vocab_size":                       uint32(s.Vocab),
		"llama.context_length":                   uint32(reach),
		"llama.embedding_length":                 uint32(s.Width),
		"llama.block_count":                      uint32(s.Layers),
		"llama.feed_forward_length":              uint32(s.Hidden),
		"llama.attention.head_count":             uint32(s.Width / HeadWidth),
		"llama.attention.head_count_kv":          uint32(s.Width / HeadWidth),
		"llama.attention.layer_norm_rms_epsilon": s.Epsilon,
		"llama.rope.dimension_count":             uint32(HeadWidth),
		"llama.rope.freq_base":                   s.RopeBase,

		"tokenizer.ggml.model":            "gpt2",
		"tokenizer.ggml.pre":              "gpt-2",
		"tokenizer.ggml.tokens":           t.vocabulary.Pieces(),
		"tokenizer.ggml.token_type":       types,
		"tokenizer.ggml.scores":           scores,
		"tokenizer.ggml.merges":           t.vocabulary.MergeLines(),
		"tokenizer.ggml.bos_token_id":     id(beginToken),
		"tokenizer.ggml.eos_token_id":     id(endToken),
		"tokenizer.ggml.eot_token_id":     id(turnToken),
		"tokenizer.ggml.padding_token_id": id(padToken),
		"tokenizer.ggml.unknown_token_id": id(spareToken),
		"tokenizer.ggml.add_bos_token":    true,
		"tokenizer.ggml.add_eos_token":    false,
		"tokenizer.chat_template":         chatTemplate,
	}
}
