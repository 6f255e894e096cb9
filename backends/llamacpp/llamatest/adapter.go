package llamatest

import (
	"fmt"

	"github.com/ollama/ollama/fs/ggml"
)

// WriteAdapter writes a LoRA adapter of a rank to path, with random products for the attention's output in each layer of m.
func WriteAdapter(path string, m Model, rank int) error {
	m = m.built()
	var tensors []*ggml.Tensor
	for i := range m.Shape.Layers {
		name := fmt.Sprintf("blk.%d.attn_output.weight.lora_", i)
		tensors = append(tensors, m.tensor(name+"a", "plain", []int{m.Shape.Width, rank}), m.tensor(name+"b", "plain", []int{rank, m.Shape.Width}))
	}
	values := ggml.KV{
		"general.type": "adapter", "general.architecture": string(m.architecture()), "adapter.type": "lora",
		"adapter.lora.alpha": float32(rank),
	}
	return writeFile(path, values, tensors)
}
