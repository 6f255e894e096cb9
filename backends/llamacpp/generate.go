package llamacpp

import (
	"context"
	"iter"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/schedule"
	"proctor/backends/llamacpp/tune"
)

// Generate implements [backends.Model], as [schedule.Generate] does.
func (m *Model) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	if m.closed {
		return backends.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.engine == nil {
		if _, err := m.Plan(ctx, backends.Workload{}); err != nil {
			return err
		}
	}
	var computes schedule.Engine = m.engine
	if m.threads != nil {
		computes = tuned{m.engine, m.threads}
	}
	return schedule.Generate(ctx, computes, m.weights, m.traits(), requests, done)
}

// tuned is an engine whose number of threads is found on its batches.
type tuned struct {
	*llama.Engine
	threads *tune.Threads
}

func (t tuned) Decode(b engine.Batch) ([]int32, error) {
	defer t.threads.Next(b)()
	return t.Engine.Decode(b)
}

// traits returns what the scheduler needs to know of the model and its engine.
func (m *Model) traits() schedule.Traits {
	t := schedule.Traits{
		Slots: m.settings.Slots, Batch: m.settings.Batch, Microbatch: m.settings.Microbatch,
		Stateful: m.weights.Recurrent() || m.settings.KVWindowed, Hybrid: m.memory.Cache.Hybrid || m.settings.KVWindowed,
	}
	if m.file.Architecture() == "qwen3next" && !m.options.loaded() {
		t.Chunk = deltaNetChunk
	}
	return t
}

// deltaNetChunk is how many tokens llama.cpp's gated delta net sums up together: CHUNK_SIZE in its models/qwen3next.cpp.
const deltaNetChunk = 64
