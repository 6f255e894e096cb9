package llamatest

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ollama/ollama/fs/ggml"
)

// Architecture is what a model is built like, by llama.cpp's name for it.
type Architecture string

// Of each kind of memory and of layers that people run, one at least.
const (
	Llama         Architecture = "llama"
	Gemma2        Architecture = "gemma2" // every other layer looks back through a sliding window only
	Gemma3        Architecture = "gemma3" // so do five of six
	Qwen3         Architecture = "qwen3"
	Qwen3MoE      Architecture = "qwen3moe"
	Phi3          Architecture = "phi3" // queries, keys and values are one matrix, and so are gate and up
	Mistral3      Architecture = "mistral3"
	Gemma3n       Architecture = "gemma3n"       // layers after the 20th use the cache of an earlier one
	GPTOSS        Architecture = "gpt-oss"       // windows, sinks, biases, experts
	DeepSeek2     Architecture = "deepseek2"     // keys and values of all heads are made of one short vector
	GPT2          Architecture = "gpt2"          // positions are embedded, and there are none after the model's context
	Mamba         Architecture = "mamba"         // a state instead of attention
	Jamba         Architecture = "jamba"         // a state in every other layer
	GraniteHybrid Architecture = "granitehybrid" // the states are Mamba 2's
	FalconH1      Architecture = "falcon-h1"     // attention and a state in every layer
	NemotronH     Architecture = "nemotron_h"    // a layer is a state, attention or feed-forward
	LFM2          Architecture = "lfm2moe"       // the state is what a short convolution looks back to
	Qwen3Next     Architecture = "qwen3next"     // three of four layers have a gated delta net
	RWKV6         Architecture = "rwkv6"         // a square of states for each head
	RWKV7         Architecture = "rwkv7"
)

// Of those that published releases of llama.cpp know, and the one that is compiled in does not.
const (
	Qwen35     Architecture = "qwen35" // three of four layers have a gated delta net
	Qwen35MoE  Architecture = "qwen35moe"
	Gemma4     Architecture = "gemma4"      // windows, heads of two widths, layers that share a cache, embeddings of each layer's own
	DeepSeek32 Architecture = "deepseek32"  // an index says which tokens attention looks at
	GLMDSA     Architecture = "glm-dsa"     // so it does in the first of some layers, for all of them
	MiniMaxM3  Architecture = "minimax-m3"  // so it does block by block
	Mistral4   Architecture = "mistral4"    // DeepSeek 2's attention
	Step35     Architecture = "step35"      // windows, and gates of heads
	MiMo2      Architecture = "mimo2"       // windows, sinks, keys wider than values
	ExaoneMoE  Architecture = "exaone-moe"  // windows; layers without have no positions
	Cohere2MoE Architecture = "cohere2moe"  // windows; attention and feed-forward side by side
	Mellum     Architecture = "mellum"      // windows
	KimiLinear Architecture = "kimi-linear" // DeepSeek 2's attention, and a gated delta net with a decay of each number's own
)

// family is how the models of an architecture are built, beyond what all have.
type family struct {
	newer   bool // than the llama.cpp that is compiled in
	tied    bool // the scores come from the embeddings
	experts bool // it has some in any case
	states  bool // and no attention
	least   int  // layers until all kinds of them are there
	values  []values
	layer   layers
}

var families = map[Architecture]family{
	Llama:         {layer: every("attention ffn_norm forward")},
	Gemma2:        {tied: true, least: 2, values: []values{windowValues}, layer: every("attention ffn_norm forward gemma")},
	Gemma3:        {tied: true, least: 6, values: []values{windowValues}, layer: every("attention head_norms ffn_norm forward gemma")},
	Qwen3:         {layer: every("attention head_norms ffn_norm forward")},
	Qwen3MoE:      {experts: true, values: []values{expertValues}, layer: every("attention head_norms ffn_norm forward")},
	Phi3:          {layer: every("phi3")},
	Mistral3:      {values: []values{temperatureValues}, layer: every("attention ffn_norm forward")},
	GPTOSS:        {experts: true, least: 2, values: []values{windowValues, expertValues}, layer: every("attention experts gpt_oss")},
	DeepSeek2:     {experts: true, least: 2, values: []values{expertValues, latentValues}, layer: firstDense("latent_queries latent_cache")},
	GPT2:          {values: []values{normValues}, layer: both(every("gpt2"), first("gpt2_model", ""))},
	Mamba:         {states: true, values: []values{mambaValues}, layer: every("mamba")},
	Jamba:         {least: 2, values: []values{mambaValues, stateLayers}, layer: turns("mamba jamba ffn_norm forward", "attention ffn_norm forward")},
	GraniteHybrid: {least: 2, values: []values{mamba2Values, stateLayers}, layer: turns("mamba2 ffn_norm forward", "attention ffn_norm forward")},
	FalconH1:      {values: []values{mamba2Values}, layer: every("mamba2 attention forward falcon_norm")},
	NemotronH:     {least: 3, values: []values{mamba2Values, normValues, nemotronLayers}, layer: turns("mamba2", "ungated", "attention")},
	Gemma3n: {
		tied: true, least: 22, values: []values{windowValues, gemma3nValues},
		layer: both(every("attention head_norms ffn_norm forward gemma gemma3n"), first("gemma3n_model", "")),
	},
	LFM2: {
		tied: true, experts: true, least: 2, values: []values{expertValues, shortValues, stateLayers},
		layer: both(turns("short_convolution", "attention head_norms"), first("ffn_norm dense", "ffn_norm experts expert_bias")),
	},
	Qwen3Next: {
		experts: true, least: 4, values: []values{expertValues, deltaValues},
		layer: both(everyFourth("gated_attention head_norms", "delta_net"), every("experts shared_expert shared_gate post_norm")),
	},
	RWKV6: {states: true, values: []values{rwkvValues}, layer: both(every("rwkv rwkv6"), first("rwkv_model", ""))},
	RWKV7: {states: true, values: []values{rwkvValues}, layer: both(every("rwkv rwkv7"), first("rwkv_model", ""))},

	Qwen35:    {newer: true, least: 4, values: []values{deltaValues, sectionValues}, layer: qwen35},
	Qwen35MoE: {newer: true, experts: true, least: 4, values: []values{expertValues, deltaValues, sectionValues}, layer: qwen35},
	Gemma4:    {newer: true, tied: true, least: 4, values: []values{windowValues, gemma4Values}, layer: gemma4},
	DeepSeek32: {
		newer: true, experts: true, least: 2, values: []values{expertValues, latentValues, indexValues},
		layer: firstDense("latent_queries latent_cache index"),
	},
	GLMDSA: {
		newer: true, experts: true, least: 3, values: []values{expertValues, latentValues, indexValues},
		layer: firstDense("latent_queries latent_cache index"),
	},
	MiniMaxM3: {
		newer: true, experts: true, least: 2, values: []values{expertValues, blockIndexValues},
		layer: both(firstDense("attention head_norms"), first("", "block_index")),
	},
	Mistral4: {
		newer: true, experts: true, least: 2, values: []values{expertValues, latentValues, temperatureValues},
		layer: firstDense("latent_queries latent_cache"),
	},
	Step35: {newer: true, experts: true, least: 2, values: patterned, layer: firstDense("attention head_norms head_gates")},
	MiMo2: {
		newer: true, experts: true, least: 2, values: patterned,
		layer: both(every("wide_attention"), first("ffn_norm dense", "ffn_norm experts expert_bias")),
	},
	ExaoneMoE:  {newer: true, experts: true, least: 4, values: patterned, layer: firstDense("attention head_norms")},
	Cohere2MoE: {newer: true, experts: true, least: 2, values: patterned, layer: both(every("attention"), first("dense", "experts shared_expert"))},
	Mellum:     {newer: true, experts: true, least: 2, values: patterned, layer: every("attention head_norms ffn_norm forward")},
	KimiLinear: {
		newer: true, experts: true, least: 2, values: []values{expertValues, latentValues, kimiValues},
		layer: both(turns("kimi_net", "latent_cache kimi_queries"), firstDense("")),
	},
}

// Architectures are those that the llama.cpp knows which is compiled in, in alphabetical order.
func Architectures() []Architecture { return aged(false) }

// Newer are those that only later releases know.
func Newer() []Architecture { return aged(true) }

func aged(newer bool) []Architecture {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(families)), func(a Architecture) bool { return families[a].newer != newer })
}

// LeastLayers is how many layers a model needs so that all kinds of its layers are there.
func (a Architecture) LeastLayers() int { return max(1, families[a].least) }

func (m Model) architecture() Architecture { return cmp.Or(m.Architecture, Llama) }

func (m Model) family() family { return families[m.architecture()] }

// built is the model with what its architecture needs in any case.
func (m Model) built() Model {
	if m.family().experts && m.Shape.Experts == 0 {
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
	if f.tied {
		embedding = tiedGain
	}
	all := []*ggml.Tensor{
		m.embedding(embedding),
		fixed("output_norm.weight", 1, s.Width),
	}
	if !f.tied {
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
