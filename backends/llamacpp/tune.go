package llamacpp

import (
	"context"
	"fmt"
	"time"

	"proctor/backends"
)

// Which settings are fastest differs between machines and models: flash attention costs on a CPU what it gains on a
// GPU, and more slots pay until the caches overflow. So a run that is long enough begins with a calibration: one
// setting after the other is changed and kept where the model answered faster with it.

const (
	worthTuning    = time.Minute // a run that is expected to take less is not calibrated
	tuningShare    = 50          // the calibration takes about one part in so many of what the run is expected to take
	gain           = 0.97        // a setting is changed where the time for a question becomes less than this share
	typicalOutput  = 300         // tokens of a completion, where the cap allows as many
	typicalOwnPart = 5           // one part in so many of a prompt is its own, where the workload does not say
)

// tuning is the settings that a calibration chooses.
type tuning struct {
	Slots          int  `json:"slots"`
	Microbatch     int  `json:"ubatch"`
	FlashAttention bool `json:"flash_attention"`
	Unified        bool `json:"kv_unified"`
}

// pace is how fast the engine was, in tokens a second. Decoding is that of all slots together.
type pace struct {
	Prefill float64 `json:"prefill_tokens_per_second"`
	Decode  float64 `json:"decode_tokens_per_second"`
}

// calibration is a choice and what it rests on.
type calibration struct {
	Tuning tuning        `json:"tuning"`
	Pace   pace          `json:"pace"`
	Took   time.Duration `json:"took_ns"`
	kept   bool          // by an earlier run
}

func (c calibration) String() string {
	found := fmt.Sprintf("prefill %.0f t/s, decode %.0f t/s", c.Pace.Prefill, c.Pace.Decode)
	if c.kept {
		return "calibrated before: " + found
	}
	return fmt.Sprintf("calibrated in %.1f s: %s", c.Took.Seconds(), found)
}

// apply changes settings to what was chosen.
func (t tuning) apply(s settings) settings {
	s.sequences, s.flash, s.unified = t.Slots, t.FlashAttention, t.Unified
	s.ubatch = t.Microbatch
	s.batch = max(s.batch, s.ubatch)
	return s
}

func tuningOf(s settings) tuning {
	return tuning{Slots: s.sequences, Microbatch: s.ubatch, FlashAttention: s.flash, Unified: s.unified}
}

// seconds is how long a request of the workload takes at this pace, in an exam that keeps the slots busy.
func (p pace) seconds(w backends.Workload) float64 {
	return float64(ownTokens(w))/p.Prefill + float64(min(w.MaxTokens, typicalOutput))/p.Decode
}

// ownTokens is how many tokens of a prompt are to be decoded for it alone, on average.
func ownTokens(w backends.Workload) int {
	if w.UniqueTokens > 0 && w.Requests > 0 {
		return w.UniqueTokens / w.Requests
	}
	return w.PromptTokens / typicalOwnPart
}

// tune returns the settings to use for w, beginning with s, and the calibration that chose them; nil where the run is
// too short for one.
func (m *Model) tune(ctx context.Context, w backends.Workload, s settings, fit int) (settings, *calibration, error) {
	kept, err := m.openTunings(ctx, s)
	if err != nil {
		return s, nil, err
	}
	if c, found := kept.find(); found && c.Tuning.Slots <= fit {
		c.Tuning.Slots = min(c.Tuning.Slots, max(w.Requests, 1))
		return c.Tuning.apply(s), &c, nil
	}
	began := time.Now()
	rough, err := m.probe(ctx, s, glance())
	if err != nil {
		return s, nil, err
	}
	expected := time.Duration(rough.seconds(w) * float64(w.Requests) * float64(time.Second))
	if expected < worthTuning {
		return s, nil, nil
	}
	chosen, pace, err := m.climb(ctx, w, s, fit, rough, began.Add(expected/tuningShare))
	if err != nil {
		return s, nil, err
	}
	c := calibration{Tuning: tuningOf(chosen), Pace: pace, Took: time.Since(began)}
	return chosen, &c, kept.keep(c)
}

// climb changes one setting after the other and keeps what is faster, until the deadline.
func (m *Model) climb(ctx context.Context, w backends.Workload, s settings, fit int, rough pace, deadline time.Time) (settings, pace, error) {
	look := stare(w, s, rough)
	best, err := m.probe(ctx, s, look)
	if err != nil {
		return s, best, err
	}
	for _, change := range m.changes(look) {
		for changed := s; time.Now().Before(deadline); {
			if !change(&changed) || changed.sequences > min(fit, max(w.Requests, 1)) || !m.fits(changed) {
				break
			}
			found, err := m.probe(ctx, changed, look)
			if err != nil {
				return s, best, err
			}
			if found.seconds(w) > gain*best.seconds(w) {
				break
			}
			s, best = changed, found
		}
	}
	return s, best, nil
}

// changes are what is tried, each as long as it gains; false where there is nothing left to change.
//
// How attention is computed best depends on how much the cache holds. One cache for all slots is fast while it is small:
// on two CPU cores, a look at a quarter of the prompts' length preferred it, and the whole exam was 1.6 times slower with
// it. So that is tried only where the look can afford whole prompts, as it can on a GPU.
func (m *Model) changes(l look) []func(*settings) bool {
	var all []func(*settings) bool
	if m.options.Slots == 0 {
		all = append(all,
			func(s *settings) bool { s.sequences += 8; return true },
			func(s *settings) bool { s.sequences /= 2; return s.sequences > 1 },
		)
	}
	if l.whole && !m.options.flash() { // else the cache's type needs it, or it is the faster one
		all = append(all, func(s *settings) bool { s.flash = !s.flash; return s.flash })
	}
	if l.whole && !m.weights.hybrid() {
		all = append(all, func(s *settings) bool { s.unified = !s.unified; return s.unified })
	}
	return append(all,
		func(s *settings) bool {
			s.ubatch *= 2
			s.batch = max(s.batch, s.ubatch)
			return s.ubatch <= 4*defaultBatch
		},
		func(s *settings) bool { s.ubatch /= 2; return s.ubatch >= defaultBatch/4 },
	)
}

// fits says whether the memory is there.
func (m *Model) fits(s settings) bool {
	return m.available == 0 || float64(m.allocate(s).Total()) <= headroom*float64(m.available)
}
