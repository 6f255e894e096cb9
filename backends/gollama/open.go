package gollama

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/machine"
	"proctor/backends/setting"
)

// What llama.cpp of 27 September 2023 has code for.
var (
	architectures = []string{"llama", "baichuan"}
	types         = []string{"F32", "F16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K"}
)

// Check refuses a model that the library cannot read, with the reason and what can.
func Check(file *gguf.File) error {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("%s: %s, which llama.cpp of September 2023 cannot read: leave gollama: out, and it runs in-process", file.Path,
			fmt.Sprintf(format, args...))
	}
	has := func(name string) bool {
		_, found := file.Tensor(name)
		return found
	}
	if err := file.Answers(); err != nil {
		return err
	}
	switch vocabulary := file.Text("tokenizer.ggml.model"); {
	case !slices.Contains(architectures, file.Architecture()):
		return refuse("architecture %s", file.Architecture())
	case file.ArchInt("expert_count", 0) > 0:
		return refuse("a mixture of experts")
	case !has("output.weight"):
		return refuse("tied embeddings: no output matrix of its own (output.weight)")
	case vocabulary != "llama":
		// Of kind gpt2 too: its code for that ends the process where tokens are written as since October 2023, and makes other
		// tokens of a text than the model was trained with where they are not.
		return refuse("a vocabulary of kind %q", vocabulary)
	case len(file.Parts) > 1:
		return refuse("a file in %d parts", len(file.Parts))
	case has("rope_freqs.weight"):
		return refuse("scaled rotations (rope_freqs.weight)")
	case !slices.Contains([]string{"", "none", "linear"}, file.Text(file.Architecture()+".rope.scaling.type")):
		return refuse("rotations scaled by %s", file.Text(file.Architecture()+".rope.scaling.type"))
	}
	for _, t := range file.Tensors {
		switch {
		case !slices.Contains(types, t.Type.String()):
			return refuse("%s in %s", t.Name, t.Type)
		case file.Architecture() == "llama" && strings.HasSuffix(t.Name, ".bias"):
			return refuse("a llama with %s", t.Name)
		}
	}
	return nil
}

// Version is go-llama.cpp's newest commit, and the day of the llama.cpp that it binds.
const Version = "go-llama.cpp 6a8041ef6b46 (llama.cpp of 2023-09-27)"

// Options say which model is opened, and how.
type Options struct {
	// Without Context it is as the model was trained for, up to mostContext.
	backends.Settings

	Path     string
	Info     backends.ModelInfo       // what its file says
	Sampling *backends.Recommendation // that its file recommends; nil for none
}

// sampled are the ways to sample that the library has.
var sampled = []string{"top_k", "top_p", "repeat_penalty", "presence_penalty", "frequency_penalty"}

// Recommended returns the recommendation of the model's file, and names in Lacks a part that the library cannot apply.
func (o Options) Recommended() *backends.Recommendation {
	if o.Sampling == nil || o.Sampling.Lacks != "" {
		return o.Sampling
	}
	r := *o.Sampling
	for part := range r.Parts() {
		if part.Set && !slices.Contains(sampled, part.Name) {
			r.Lacks = part.String()
			r.From = maps.Clone(r.From)
			delete(r.From, part.Name)
		}
	}
	return &r
}

// mostContext is the default context at most: the key/value cache is allocated at once.
const mostContext = 4096

// Open opens a model. One that the library cannot read is refused with the reason.
func Open(ctx context.Context, o Options) (backends.Model, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := gguf.Open(o.Path)
	if err != nil {
		return nil, err
	}
	if err := Check(file); err != nil {
		return nil, err
	}
	if o.GPULayers == backends.AutoLayers {
		return nil, fmt.Errorf("%s: go-llama.cpp does not know how many layers fit: give %s a number", o.Path, setting.GPULayers)
	}
	o.GPULayers = max(o.GPULayers, 0) // none
	o.Threads = cmp.Or(o.Threads, machine.Cores())
	o.Context = cmp.Or(o.Context, min(cmp.Or(file.ContextLength(), mostContext), mostContext))
	return load(o, file)
}
