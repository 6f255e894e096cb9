package llamacpp

import (
	"context"

	"proctor/backends"
	"proctor/backends/llamacpp/memory"
	"proctor/backends/llamacpp/tune"
	"proctor/backends/machine"
)

// Plan implements [backends.Planner]: it chooses context and slots, and sets the cache aside. Planning again frees
// what the plan before had set aside. On how many threads a planned run computes is found while it does.
func (m *Model) Plan(ctx context.Context, w backends.Workload) (none backends.Allocation, err error) {
	if m.closed {
		return none, backends.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return none, err
	}
	m.release()
	s := m.requested
	if w.Forced {
		s.Outputs = s.Batch
	}
	if s, err = m.memory.Settings(w, s); err != nil {
		return none, err
	}
	m.threads = nil
	if s.Watch != nil && w.PromptTokens > 0 {
		m.threads = tune.NewThreads(s.Threads, machine.FastCores(), s.Watch)
		s.Watch = m.threads
	}
	m.memory.Resident = machine.Resident()
	if m.engine, err = m.weights.NewEngine(s); err != nil {
		return none, err
	}
	s.Context, s.Batch = m.engine.Context(), m.engine.Batch()
	m.settings, m.allocation = s, m.memory.Allocate(s)
	m.allocation.Description = memory.Describe(m.allocation, s)
	return m.allocation, nil
}
