package gguf

import (
	"fmt"
	"slices"

	"proctor/backends/setting"
)

const (
	eyes = "the part of a model that sees or hears (%s, an mmproj file): give the model's own file, " +
		"which continues a text without it"
	embedding = "an embedding model (%s), which turns a text into numbers and does not continue it: " +
		"choose a language model"
)

// purposes are what the models of some architectures are for that do not continue a text. The names are those that
// llama.cpp, its tools and, for images, ComfyUI-GGUF write.
var purposes = []struct {
	what          string // the model of architecture %s is, and what to do
	architectures []string
}{
	{eyes, []string{"clip"}},
	{embedding, []string{"bert", "modern-bert", "nomic-bert", "nomic-bert-moe", "neo-bert", "jina-bert-v2", "jina-bert-v3",
		"eurobert", "gemma-embedding", "llama-embed", "t5encoder"}},
	{"an encoder-decoder model (%s), which proctor does not run: choose a decoder-only language model", []string{"t5"}},
	{"a diffusion model (%s), which does not write token by token: choose another language model",
		[]string{"dream", "llada", "llada-moe", "rnd1"}},
	{"a draft model (%s), which guesses ahead for another model: give that model's file",
		[]string{"eagle3", "dflash", "gemma4-assistant"}},
	{"a control vector (%s), which steers a model and is none: give the model itself", []string{"controlvector"}},
	{"a part of a speech model (%s), which makes sound of codes: choose a language model",
		[]string{"wavtokenizer-dec", "qwen3tts", "pockettts"}},
	{"a model of images or videos (%s): choose a language model", []string{"flux", "sd1", "sdxl", "sd3", "aura", "hidream",
		"cosmos", "ltxv", "hyvid", "wan", "lumina2", "qwen_image"}},
}

// TextModel refuses a file that holds no model, or one that does not continue a text. The error says in one line what
// the file is, and what to do.
func (f *File) TextModel() error {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("%s: %s", f.Path, fmt.Sprintf(format, args...))
	}
	architecture := f.Architecture()
	switch f.Text("general.type") {
	case "imatrix":
		return refuse("an importance matrix, by which models are quantised: give the model itself, "+
			"and this file to a sweep with %s", setting.Imatrix)
	case "adapter":
		return refuse("an adapter (LoRA), which changes a model and is none: give the %s model that it was trained for, "+
			"and this file with %s", architecture, setting.Lora)
	case "mmproj":
		return refuse(eyes, architecture)
	}
	if decision := f.Text(f.key("decision.type")); decision != "" {
		return refuse("a decision model (%s, %s), which scores given options and writes no text: choose a language model",
			architecture, decision)
	}
	const rank = 4 // LLAMA_POOLING_TYPE_RANK
	pooling, _ := f.Int(f.key("pooling_type"))
	if pooling == rank || f.Len(f.key("classifier.output_labels")) > 0 {
		return refuse("a classifier or reranker (%s), which scores a text and does not continue it: choose a language model",
			architecture)
	}
	for _, p := range purposes {
		if slices.Contains(p.architectures, architecture) {
			return refuse(p.what, architecture)
		}
	}
	if causal, said := f.values[f.key("attention.causal")].(bool); said && !causal || pooling != 0 {
		return refuse(embedding, architecture)
	}
	if architecture == "" {
		return refuse("no model for llama.cpp: it names no architecture (general.architecture): " +
			"choose a language model in GGUF")
	}
	return nil
}

// Answers is [File.TextModel] that refuses a file with a vocabulary alone, too.
func (f *File) Answers() error {
	err := f.TextModel()
	if err == nil && len(f.Tensors) == 0 {
		err = fmt.Errorf("%s: a vocabulary without tensors, which can count tokens and not answer: give the model itself",
			f.Path)
	}
	return err
}
