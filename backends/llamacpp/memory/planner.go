package memory

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp/engine"
)

// A Planner knows what a plan depends on: the model, and the memory there is.
type Planner struct {
	File        *gguf.File
	Cache       engine.Cache // of the loaded model; before, all layers may have a cache of all tokens
	Checkpoints int          // states kept of recurrent layers, and of sliding windows, beside the slots'
	Available   int64        // bytes of the machine that are free; 0 where unknown
	Resident    int64        // bytes that the process holds, the loaded model and no context; 0 where unknown
	KeepWindows bool         // settings say already what layers with a sliding window keep

	// Limit says, as the end of a sentence, what besides the memory keeps the needed bytes from being free; nil: nothing does.
	Limit func(need int64) string
	// Packs says whether a matrix on the CPU is computed with a packed copy; nil: none is.
	Packs func(gguf.Tensor) bool
	// Warn gets warnings for the user; may be nil.
	Warn func(text string)

	offload offload
	warned  string // the last warning
}

// Allocate returns what memory a context with these settings takes: the machine's, and beside it that of GPUs.
func (p *Planner) Allocate(s engine.Settings) backends.Allocation {
	here := func(layer int) bool { return p.offload.of(layer) < 0 }
	weights := p.weightBytes(here)
	return backends.Allocation{
		Slots: s.Slots, Context: s.Context, Weights: weights, KV: p.cacheBytes(s, here) + p.checkpointBytes(s),
		Compute: p.Compute(s).Total(p.limited()), Available: p.Available, Devices: p.onDevices(s),
		Beside: max(0, p.Resident-weights-tokenBytes*p.vocabulary()),
	}
}

// limited says whether something besides the memory limits it, as Limit then does of any need.
func (p *Planner) limited() bool { return p.Limit != nil && p.Limit(math.MaxInt64/2) != "" }

// Describe returns a line for people that says what is set aside.
func Describe(a backends.Allocation, s engine.Settings) string {
	windows := ""
	if s.KVWindowed {
		windows = " (of sliding windows, those alone)"
	}
	line := fmt.Sprintf("%s of %d tokens: weights %s + cache %s%s + scratch %s = %s",
		english.Plural(a.Slots, "slot", ""), a.Context, size(a.Weights), size(a.KV), windows, size(a.Compute), size(a.Total()))
	if a.Available > 0 {
		line += fmt.Sprintf(" of %s free", size(a.Available))
	}
	for _, d := range a.Devices {
		line += fmt.Sprintf("; %s: %s, weights %s + cache %s + scratch %s = %s of %s free", d.Name, english.Plural(d.Layers, "layer", ""),
			size(d.Weights), size(d.KV), size(d.Compute), size(d.Total()), size(d.Available))
	}
	return line
}
