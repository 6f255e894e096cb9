package llamacpp

import (
	"context"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/memory"
	"proctor/backends/llamacpp/tune"
	"proctor/backends/machine"
)

// Plan implements [backends.Planner]: it chooses context and slots, and sets the cache aside. Planning again frees
// what the plan before had set aside.
func (m *Model) Plan(ctx context.Context, w backends.Workload) (none backends.Allocation, err error) {
	if m.closed {
		return none, backends.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return none, err
	}
	m.release()
	requested := m.requested
	if w.Forced {
		requested.Outputs = requested.Batch
	}
	s, fit, err := m.memory.Settings(w, requested)
	if err != nil {
		return none, err
	}
	s, found, err := m.tuned(ctx, w, s, fit)
	if err != nil {
		return none, err
	}
	if m.engine, err = m.weights.NewEngine(s); err != nil {
		return none, err
	}
	s.Context, s.Batch = m.engine.Context(), m.engine.Batch()
	m.settings, m.allocation = s, m.memory.Allocate(s)
	if found != nil {
		m.allocation.Calibration = found.String()
	}
	m.allocation.Description = memory.Describe(m.allocation, s)
	return m.allocation, nil
}

// tuned are the settings for w, beginning with s, and the calibration that chose them; nil without one. Where no measurement may decide
// about bits, only the threads are found, while the run computes.
func (m *Model) tuned(ctx context.Context, w backends.Workload, s engine.Settings, fit int) (engine.Settings, *tune.Calibration, error) {
	m.threads = nil
	switch {
	case !m.options.Tune || w.PromptTokens == 0:
		return s, nil, nil
	case m.options.keepsBits():
		if s.Watch != nil {
			m.threads = tune.NewThreads(s.Threads, machine.FastCores(), s.Watch)
			s.Watch = m.threads
		}
		return s, nil, nil
	}
	search, err := m.search(ctx, w, s, fit)
	if err != nil {
		return s, nil, err
	}
	return search.Run(ctx)
}

// search is the one for the fastest settings for w, beginning with s.
func (m *Model) search(ctx context.Context, w backends.Workload, s engine.Settings, fit int) (tune.Search, error) {
	digest, err := m.digest.wait(ctx) // it would compute beside the calibration
	if err != nil {
		return tune.Search{}, err
	}
	var began machine.Mark
	m.watch.Since(&began)
	return tune.Search{
		Work: w, Settings: s, MaxSlots: fit, FastCores: machine.FastCores(),
		KeepSlots: m.options.Slots > 0, KeepThreads: s.Watch == nil, KeepFlash: m.options.needsFlash(),
		KeepUnified: m.memory.Cache.Hybrid || s.KVWindowed, Fits: m.memory.Fits,
		Probe: func(ctx context.Context, s engine.Settings, p tune.Probe) (tune.Pace, error) {
			engine, err := m.weights.NewEngine(s)
			if err != nil {
				return tune.Pace{}, err
			}
			defer engine.Close()
			return p.Measure(ctx, tune.NewFeed(engine, m.weights), s)
		},
		Others: func() backends.Load { return m.watch.Since(&began) },
		Keep:   tune.OpenStore(m.options.TuningFolder, digest, s),
	}, nil
}
