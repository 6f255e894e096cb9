package llamacpp

import (
	"context"
	"fmt"
	"log/slog"
	"sort"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/tune"
	"proctor/backends/machine"
)

const (
	cellStep       = 256  // llama.cpp rounds a sequence's context up to multiples of this
	fallbackTokens = 4096 // context without a planned workload, if the model was trained for so much
	autoSlots      = 16   // beyond this, more slots gain little on a CPU
	headroom       = 0.9  // share of the free memory that is used at most
)

// Plan implements [backends.Planner]: it chooses context and slots, and sets the cache aside. Planning again frees
// what the plan before had set aside.
func (m *Model) Plan(ctx context.Context, w backends.Workload) (backends.Allocation, error) {
	if m.closed {
		return backends.Allocation{}, ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return backends.Allocation{}, err
	}
	m.release()
	if err := m.plan(ctx, w); err != nil {
		return backends.Allocation{}, err
	}
	return m.allocation, nil
}

func (m *Model) plan(ctx context.Context, w backends.Workload) (err error) {
	s, fit := m.asked, 0
	if s.Context, err = m.planContext(w); err != nil {
		return err
	}
	if w.Forced {
		s.Outputs = s.Batch
	}
	if s, fit, err = m.planCache(w, s); err != nil {
		return err
	}
	var found *tune.Calibration
	if m.options.Tune && w.PromptTokens > 0 {
		if s, found, err = m.tune(ctx, w, s, fit); err != nil {
			return err
		}
	}
	if m.engine, err = m.weights.NewEngine(s); err != nil {
		return err
	}
	s.Context, s.Batch = m.engine.Context(), m.engine.Batch()
	m.settings, m.allocation = s, m.allocate(s)
	if found != nil {
		m.allocation.Calibration = found.String()
	}
	m.allocation.Told = told(m.allocation, s)
	return nil
}

// told says what was set aside, in a line for people.
func told(a backends.Allocation, s engine.Settings) string {
	size := func(bytes int64) string { return humanize.IBytes(uint64(bytes)) }
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
	if a.Calibration != "" {
		line += "; " + a.Calibration
	}
	return line
}

// tune returns the settings to use for w, beginning with s, and the calibration that chose them; nil where the run is too
// short for one.
func (m *Model) tune(ctx context.Context, w backends.Workload, s engine.Settings, fit int) (engine.Settings, *tune.Calibration, error) {
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
	return tune.Search{
		Work: w, Settings: s, MaxSlots: fit, FastCores: machine.FastCores(),
		KeepSlots: m.options.Slots > 0, KeepThreads: !s.Yielding, KeepFlash: m.options.keepsFlash(),
		KeepUnified: m.weights.Hybrid() || s.KVWindowed, Fits: m.fits,
		Probe: func(ctx context.Context, s engine.Settings, p tune.Probe) (tune.Pace, error) {
			engine, err := m.weights.NewEngine(s)
			if err != nil {
				return tune.Pace{}, err
			}
			defer engine.Close()
			return p.Measure(ctx, tune.NewFeed(engine, m.weights), s)
		},
		Keep: tune.OpenStore(m.options.TuningFolder, digest, s),
	}, nil
}

// planContext returns the tokens that a slot is to hold.
func (m *Model) planContext(w backends.Workload) (int, error) {
	trained := m.file.ContextLength()
	need := w.PromptTokens + w.MaxTokens
	if given := m.options.Context; given > 0 {
		if need > given {
			return 0, fmt.Errorf("a context of %d tokens is too small: the longest prompt has %d and may get %d more; %d are needed",
				given, w.PromptTokens, w.MaxTokens, need)
		}
		if trained > 0 && given > trained {
			m.options.say(slog.LevelWarn, fmt.Sprintf("a context of %d tokens: the model was trained for %d", given, trained))
		}
		return roundUp(given), nil
	}
	if need == 0 {
		need = fallbackTokens
	}
	if trained > 0 && need > trained {
		if w.PromptTokens > 0 {
			m.options.say(slog.LevelWarn, fmt.Sprintf("the longest prompt has %d tokens and may get %d more, the model was trained for "+
				"%d: prompts that do not fit will fail", w.PromptTokens, w.MaxTokens, trained))
		}
		need = trained
	}
	return roundUp(need), nil
}

func roundUp(tokens int) int { return (tokens + cellStep - 1) / cellStep * cellStep }

// planCache returns the settings with as many slots as there are to be, and how many could be. Layers with a sliding window have
// a cache of all tokens, as attention that goes once through what slots share needs it, unless that would cost slots: then they
// keep those in the window alone. These lie in another order in each slot, so sums may be rounded otherwise.
func (m *Model) planCache(w backends.Workload, s engine.Settings) (_ engine.Settings, fit int, err error) {
	s.Slots, fit, err = m.planSlots(w, s)
	if !m.weights.Windowed() || s.KVWindowed || m.options.Like != nil {
		return s, fit, err
	}
	narrow := s
	narrow.KVWindowed = true
	slots, most, narrowErr := m.planSlots(w, narrow)
	if narrowErr != nil || err == nil && slots <= s.Slots {
		return s, fit, err
	}
	narrow.Slots = slots
	return narrow, most, nil
}

// planSlots returns how many sequences to decode at a time, and how many could be.
func (m *Model) planSlots(w backends.Workload, s engine.Settings) (slots, fit int, err error) {
	fit = engine.MaxSequences
	s.Slots = 1
	one := pools(m.allocate(s))
	s.Slots = 2
	for i, two := range pools(m.allocate(s)) {
		if two.free == 0 {
			continue
		}
		room := int64(float64(two.free)*headroom) - one[i].need
		if room < 0 {
			return 0, 0, m.tooBig(s, one[i])
		}
		fit = min(fit, 1+int(room/max(two.need-one[i].need, 1)))
	}
	for s.Slots = fit; s.Slots > 1 && !m.fits(s); s.Slots-- { // a hybrid's slots are larger where there are more of them
		fit = s.Slots - 1
	}
	if given := m.options.Slots; given > 0 {
		s.Slots = given
		if lacking, lacks := m.short(s); given > fit && lacks {
			return 0, fit, fmt.Errorf("%d slots of %d tokens %v: %d would fit", given, s.Context, lacking, fit)
		}
		return given, given, nil
	}
	slots = min(fit, autoSlots)
	if w.Requests > 0 {
		slots = min(slots, w.Requests)
	}
	return slots, fit, nil
}

// tooBig says that not even one slot fits, and which context would.
func (m *Model) tooBig(s engine.Settings, one pool) error {
	s.Slots = 1
	if fit := m.fitting(s); fit > 0 {
		return fmt.Errorf("one slot of %d tokens would %v: a context of %d would fit", s.Context, one, fit)
	}
	if one.gpu != "" {
		return fmt.Errorf("the layers there %v: give a smaller --gpu-layers than %d", one, m.offload.layers)
	}
	return fmt.Errorf("the model would %v: choose a smaller quantisation", one)
}

// fitting returns the largest context, up to that of the settings, which the memory is there for; 0 for none.
func (m *Model) fitting(s engine.Settings) int {
	return cellStep * sort.Search(s.Context/cellStep, func(steps int) bool {
		s.Context = (steps + 1) * cellStep
		return !m.fits(s)
	})
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
