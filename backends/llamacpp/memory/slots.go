package memory

import (
	"fmt"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/setting"
)

const (
	fallbackTokens = 4096 // context without a planned workload, if the model was trained for so much
	autoSlots      = 16   // beyond this, more slots gain little on a CPU
	autoSlotsOnGPU = 32   // where the whole model is on GPUs: 1.2 to 1.3 times 16's questions on an H200, 64 hardly more
)

// Settings returns the requested settings, with a context and a number of slots that w needs and the memory allows
// where these are open.
func (p *Planner) Settings(w backends.Workload, requested engine.Settings) (s engine.Settings, err error) {
	if requested.Context, err = p.context(w, requested.Context); err != nil {
		return requested, err
	}
	return p.sized(w, requested)
}

// context returns how many tokens a slot holds. given is the user's choice; 0: none.
func (p *Planner) context(w backends.Workload, given int) (int, error) {
	trained := p.File.ContextLength()
	need := w.Tokens()
	if given > 0 {
		if err := p.CheckPositions(given); err != nil {
			return 0, err
		}
		if err := w.Fits(given); err != nil {
			return 0, err
		}
		if trained > 0 && given > trained {
			p.warn("a context of %d tokens: the model was trained for %d", given, trained)
		}
		return engine.Cells(given), nil
	}
	if need == 0 {
		need = fallbackTokens
	}
	if trained > 0 && need > trained {
		if w.PromptTokens > 0 {
			p.warn("%v, and the model was trained for no more: prompts that do not fit will fail", w.Fits(trained))
		}
		cells := engine.Cells(1)
		return max(trained/cells*cells, cells), nil // no position after those that it was trained for
	}
	return engine.Cells(need), nil
}

// CheckPositions refuses a context with more tokens than the model has learned positions for: llama.cpp would read beyond their table.
func (p *Planner) CheckPositions(context int) error {
	table, learned := p.File.Tensor("position_embd.weight")
	if !learned || int64(context) <= table.Elements/table.Shape[0] {
		return nil
	}
	return fmt.Errorf("a context of %d tokens: the model has learned positions for %d, and has none after them: give at most that many",
		context, table.Elements/table.Shape[0])
}

func (p *Planner) warn(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	if p.Warn != nil && text != p.warned { // a forecast may have said it
		p.Warn(text)
	}
	p.warned = text
}

// sized returns the settings with as many slots as there are to be. Layers with a sliding window have
// a cache of all tokens, as attention that goes once through what slots share needs it, unless that would cost slots: then they
// keep those in the window alone. These lie in another order in each slot, so sums may be rounded otherwise.
func (p *Planner) sized(w backends.Workload, s engine.Settings) (_ engine.Settings, err error) {
	narrow := s
	s.Slots, err = p.slots(w, s)
	if p.Cache.Window == 0 || s.KVWindowed || p.KeepWindows {
		return s, err
	}
	narrow.KVWindowed = true
	slots, narrowErr := p.slots(w, narrow)
	if narrowErr != nil || err == nil && slots <= s.Slots {
		return s, err
	}
	narrow.Slots = slots
	return narrow, nil
}

// slots returns how many sequences to decode at a time, as many as the settings say if they do.
func (p *Planner) slots(w backends.Workload, s engine.Settings) (slots int, err error) {
	given, fit := s.Slots, engine.MaxSequences
	s.Slots = 1
	one := p.pools(p.Allocate(s))
	s.Slots = 2
	for i, two := range p.pools(p.Allocate(s)) {
		if two.free == 0 {
			continue
		}
		room := int64(float64(two.free)*headroom) - one[i].need
		if room < 0 {
			return 0, p.tooBig(s, one[i])
		}
		fit = min(fit, 1+int(room/max(two.need-one[i].need, 1)))
	}
	for s.Slots = fit; s.Slots > 1 && !p.Fits(s); s.Slots-- { // a hybrid's slots are larger where there are more of them
		fit = s.Slots - 1
	}
	if given > 0 {
		s.Slots = given
		if lacking, lacks := p.short(s); given > fit && lacks {
			return 0, fmt.Errorf("%d slots of %d tokens %v: %d would fit", given, s.Context, lacking, fit)
		}
		return given, nil
	}
	slots = min(fit, autoSlots)
	if p.offload.whole() {
		slots = min(fit, autoSlotsOnGPU)
	}
	if w.Requests > 0 {
		slots = min(slots, w.Requests)
	}
	return slots, nil
}

// tooBig says that not even one slot fits, and which context would.
func (p *Planner) tooBig(s engine.Settings, one pool) error {
	s.Slots = 1
	if fit := p.Fitting(s); fit > 0 {
		return fmt.Errorf("one slot of %d tokens would %v: a context of %d would fit", s.Context, one, fit)
	}
	if one.gpu != "" {
		return fmt.Errorf("the layers there %v: give a smaller %s than %d", one, setting.GPULayers, p.offload.layers)
	}
	return fmt.Errorf("the model would %v: choose a smaller quantisation", one)
}
