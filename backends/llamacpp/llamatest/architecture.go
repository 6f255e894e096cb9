package llamatest

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ollama/ollama/fs/ggml"
	"go.yaml.in/yaml/v4"
)

// Architecture is the architecture of a model, by llama.cpp's name for it.
type Architecture string

// Those of architectures.yaml that tests name.
const (
	Llama         Architecture = "llama"
	Gemma2        Architecture = "gemma2"
	Gemma3        Architecture = "gemma3"
	Qwen3         Architecture = "qwen3"
	Gemma3n       Architecture = "gemma3n"
	GPTOSS        Architecture = "gpt-oss"
	GPT2          Architecture = "gpt2"
	Mamba         Architecture = "mamba"
	Jamba         Architecture = "jamba"
	GraniteHybrid Architecture = "granitehybrid"
	FalconH1      Architecture = "falcon-h1"
	NemotronH     Architecture = "nemotron_h"
	LFM2          Architecture = "lfm2moe"
	Qwen3Next     Architecture = "qwen3next"
	RWKV6         Architecture = "rwkv6"
	RWKV7         Architecture = "rwkv7"
	MiniMaxM3     Architecture = "minimax-m3"
)

// family is how the models of an architecture are built, beyond what all have.
type family struct {
	Newer    bool // than the llama.cpp that is compiled in
	Tied     bool // the scores come from the embeddings
	Experts  bool // it has some in any case
	States   bool // and no attention
	Sections bool // parts of a position turn parts of a head's numbers
	Least    int  // layers until all kinds of them are there
	Keys     string
	// Groups of tensors: see architectures.yaml.
	All, First, Later, Early string
	Turns                    []string
}

//go:embed architectures.yaml
var described []byte

// keys are groups of keys with what they are computed from, families the architectures, as architectures.yaml has them.
var keys, families = func() (map[string]map[string]any, map[Architecture]family) {
	var all struct {
		Keys          map[string]map[string]any
		Architectures map[Architecture]family
	}
	if err := yaml.Load(described, &all, yaml.WithKnownFields()); err != nil {
		panic(fmt.Errorf("llamatest: architectures.yaml: %w", err))
	}
	return all.Keys, all.Architectures
}()

// Architectures are those that the llama.cpp knows which is compiled in, in alphabetical order.
func Architectures() []Architecture { return aged(false) }

// Newer are those that only later releases know.
func Newer() []Architecture { return aged(true) }

func aged(newer bool) []Architecture {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(families)), func(a Architecture) bool { return families[a].Newer != newer })
}

// LeastLayers is how many layers a model needs so that all kinds of its layers are there.
func (a Architecture) LeastLayers() int { return max(1, families[a].Least) }

func (m Model) architecture() Architecture { return cmp.Or(m.Architecture, Llama) }

func (m Model) family() family { return families[m.architecture()] }

// built is the model with what its architecture needs in any case.
func (m Model) built() Model {
	if m.family().Experts && m.Shape.Experts == 0 {
		m.Shape.Experts, m.Shape.Active = 4, 2
	}
	return m
}

// Gains keep the text from falling into a loop: queries and keys that tell positions apart, and layers that add
// more to a token than the token itself brings along.
const (
	embeddingGain = 0.5
	attentionGain = 1.5 // queries and keys
	layerGain     = 1.5
	addedGain     = 0.1 // what is added
	outputGain    = 3   // spreads the scores, so that there is a clear first choice
	// Where the scores come from the embeddings these are small, else every token would be followed by itself. Gemma
	// scales them up on the way in by the root of its width.
	tiedGain = 0.1
)

func (m Model) tensors() []*ggml.Tensor {
	s, f := m.Shape, m.family()
	embedding := embeddingGain * math.Sqrt(float64(s.Width))
	if f.Tied {
		embedding = tiedGain
	}
	all := []*ggml.Tensor{
		m.embedding(embedding),
		fixed("output_norm.weight", 1, s.Width),
	}
	if !f.Tied {
		all = append(all, m.output())
	}
	for i := range s.Layers {
		all = append(all, fixed(fmt.Sprintf("blk.%d.attn_norm.weight", i), 1, s.Width))
		all = append(all, m.layer(i)...)
	}
	for _, t := range all {
		t.Name = cmp.Or(m.Renamed[t.Name], t.Name)
	}
	return all
}
