package llamacpp

import (
	"context"
	"iter"

	"proctor/backends"
	"proctor/backends/llamacpp/schedule"
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
	return schedule.Generate(ctx, m.engine, m.weights, m.traits(), requests, done)
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
