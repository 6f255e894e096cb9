package memory

import "proctor/backends/llamacpp/engine"

// Compute is the memory of the machine that a context needs beside the cache, estimated in bytes.
type Compute struct {
	Graph  int64 // activations; of layers on GPUs alone, what goes to them and comes back
	Work   int64 // what the CPU converts before it multiplies
	Scores int64 // of the tokens that follow, and what does not grow with the settings
	Unused int64 // of the graph, what the engine sets aside and never writes: scores of tokens whose next one nobody asks for
}

// Compute returns what a context with these settings takes beside the cache.
func (p *Planner) Compute(s engine.Settings) Compute {
	scored := int64(max(s.Slots, s.Outputs))
	c := Compute{Graph: p.graphBytes(s, tokens(s)), Work: p.workBytes(s)}
	c.Unused = c.Graph - p.graphBytes(s, min(scored, tokens(s)))
	if p.offload.whole() { // vectors, and the mask in both its forms
		c = Compute{Graph: 4 * tokens(s) * (int64(p.Cache.Cells(s))*3/2 + p.File.ArchInt("embedding_length", 0))}
	}
	c.Scores = 4*scored*p.vocabulary() + engineBytes + tokenBytes*p.vocabulary()
	return c
}

// Total is all of it that has to be free. A limit on the address space counts what is not written, too.
func (c Compute) Total(limited bool) int64 {
	if limited {
		return c.Graph + c.Work + c.Scores
	}
	return c.Graph + c.Work + c.Scores - c.Unused
}

// What does not grow with the settings: graph and threads, and for each token of the vocabulary its text, its merges and where both are
// found.
const (
	engineBytes = 8 << 20
	tokenBytes  = 400
)

// graphBytes estimates the buffer of a graph: the activations of a microbatch, as 32-bit floats, where most of them
// are alive. That is in attention (scores of all heads and five vectors), in the feed-forward layer (three inner
// vectors) or at the output, of as many tokens as it is computed for; the mask of the attention stays throughout.
func (p *Planner) graphBytes(s engine.Settings, outputs int64) int64 {
	context, embedding, inner := int64(p.Cache.Cells(s)), p.File.ArchInt("embedding_length", 0), int64(0)
	for layer := range p.offload.blocks {
		inner = max(inner, p.File.LayerInt("feed_forward_length", layer, 0))
	}
	attention, mask := p.heads()*context+5*embedding, context
	if s.FlashAttention {
		attention, mask = 5*embedding, context*3/2
	}
	most := max(tokens(s)*max(attention, 3*inner+embedding), outputs*(p.vocabulary()+embedding))
	return 4 * (tokens(s)*mask + most)
}

// workBytes estimates the buffer in which the CPU converts what it multiplies: at most the attention's scores, to
// 16-bit floats.
func (p *Planner) workBytes(s engine.Settings) int64 {
	if s.FlashAttention {
		return 0
	}
	return 2 * tokens(s) * int64(p.Cache.Cells(s)) * p.heads()
}

// tokens is how many a graph computes at most.
func tokens(s engine.Settings) int64 { return int64(min(s.Microbatch, s.Context*s.Slots)) }

func (p *Planner) heads() int64 { return p.File.LayerInt("attention.head_count", 0, 1) }

func (p *Planner) vocabulary() int64 {
	return max(p.File.Len("tokenizer.ggml.tokens"), p.File.ArchInt("vocab_size", 0))
}
