package tune

import (
	"context"
	"errors"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

const (
	worthTuning = time.Minute            // a run that is expected to take less is not calibrated
	tuningShare = 50                     // a calibration takes at most 1/50 of the run's expected time
	longest     = 2 * time.Second        // and no more than this, as the first question waits for it
	closely     = 250 * time.Millisecond // the time that a calibration's probe spends on prompts
	gain        = 0.97                   // a setting is changed where the time for a question becomes less than this share

	mostMicrobatch, leastMicrobatch = 2048, 128
	leastThreads                    = 4 // so few seldom wait for memory
)

// Search is for the fastest settings of an engine.
type Search struct {
	Work      backends.Workload
	Settings  engine.Settings // to begin with
	MaxSlots  int             // that memory holds
	FastCores int             // of the cores that there are, where they are of two kinds

	// What is not to be changed, because the user chose it or the model needs it.
	KeepSlots, KeepThreads, KeepFlash, KeepUnified bool

	Fits  func(engine.Settings) bool                                  // says whether the memory is there
	Probe func(context.Context, engine.Settings, Probe) (Pace, error) // opens an engine for a probe

	Others func() backends.Load // what other programs did since the search began
	Keep   Store                // where calibrations are kept, but those that other programs made slow
}

// Run returns the settings to use, and the calibration that chose them; nil where the run is too short for one, or the machine too slow.
func (s Search) Run(ctx context.Context) (engine.Settings, *Calibration, error) {
	if settings, stored := s.Stored(); stored != nil {
		return settings, stored, nil
	}
	began := time.Now()
	rough, err := s.Probe(ctx, s.Settings, roughProbe())
	if err != nil {
		return s.Settings, nil, err
	}
	expected := rough.Expected(s.Work)
	if expected < worthTuning {
		return s.Settings, nil, nil
	}
	timed, end := context.WithDeadline(ctx, began.Add(min(expected/tuningShare, longest)))
	defer end()
	chosen, pace, err := s.climb(timed, closeProbe(s.Work, s.Settings, rough, closely))
	if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
		return s.Settings, nil, err
	}
	if pace == (Pace{}) { // time ended before anything was measured
		return s.Settings, nil, nil
	}
	c := Calibration{Engine: chosen.EngineInfo, Pace: pace, Took: time.Since(began), beside: s.Others()}
	if c.beside.Crowded() {
		return chosen, &c, nil
	}
	return chosen, &c, s.Keep.keep(c)
}

// Rough estimates the pace within about a second, from what a small engine of one slot does: the time of a step is that of reading the
// weights, and further slots add to it what their tokens' products take, as in prefill.
func (s Search) Rough(ctx context.Context) (Pace, error) {
	const affordable, roughTokens = 500 * time.Millisecond, 256 // what dies of a long prompt answers the short ones first
	one, slots := s.Settings, float64(s.Settings.Slots)
	one.Slots, one.Context = 1, min(one.Context, 2*roughTokens)
	began := time.Now()
	found, err := s.Probe(ctx, one, roughProbe())
	if err == nil && time.Since(began) < affordable && s.Work.PromptTokens > 1 {
		work := s.Work
		work.PromptTokens = min(work.PromptTokens, roughTokens)
		found, err = s.Probe(ctx, one, closeProbe(work, one, found, affordable))
	}
	if err != nil {
		return Pace{}, err
	}
	return Pace{Prefill: found.Prefill, Decode: slots / (1/found.Decode + (slots-1)/found.Prefill)}, nil
}

// Stored returns the settings and the calibration that an earlier run stored. The calibration is nil where none fits: memory does
// not hold its slots, or it changed what this run keeps.
func (s Search) Stored() (engine.Settings, *Calibration) {
	c, found := s.Keep.find()
	own := s.Settings.EngineInfo
	if !found || c.Engine.Slots > s.MaxSlots ||
		s.KeepSlots && c.Engine.Slots != own.Slots || s.KeepThreads && c.Engine.Threads != own.Threads ||
		s.KeepFlash && c.Engine.FlashAttention != own.FlashAttention || s.KeepUnified && c.Engine.KVUnified != own.KVUnified {
		return s.Settings, nil
	}
	c.Engine.Slots = min(c.Engine.Slots, max(s.Work.Requests, 1))
	return c.apply(s.Settings), &c
}

// climb changes one setting after the other and keeps what is faster. It returns what it has kept where the time ends, and an error then.
func (s Search) climb(ctx context.Context, p Probe) (engine.Settings, Pace, error) {
	chosen := s.Settings
	best, err := s.Probe(ctx, chosen, p)
	if err != nil {
		return chosen, best, err
	}
	for _, change := range s.changes(p) {
		for changed := chosen; ctx.Err() == nil; {
			if !change(&changed) || changed.Slots > min(s.MaxSlots, max(s.Work.Requests, 1)) || !s.Fits(changed) {
				break
			}
			found, err := s.Probe(ctx, changed, p)
			if err != nil {
				return chosen, best, err
			}
			if found.seconds(s.Work) > gain*best.seconds(s.Work) {
				break
			}
			chosen, best = changed, found
		}
	}
	return chosen, best, nil
}

// changes are the changes to try, each repeated as long as it gains; they return false where nothing is left to change.
//
// Fewer threads are faster where slow cores hold the fast ones up, and where all of them wait for the memory.
//
// How attention is computed best depends on how much the cache holds. One cache for all slots is fast while it is small:
// on two CPU cores, a probe with a quarter of the prompts' length preferred it, and the whole run was 1.6 times slower with
// it. So that is tried only where a probe can afford whole prompts, as it can on a GPU.
func (s Search) changes(p Probe) []func(*engine.Settings) bool {
	var all []func(*engine.Settings) bool
	if !s.KeepSlots {
		all = append(all,
			func(s *engine.Settings) bool { s.Slots += 8; return true },
			func(s *engine.Settings) bool { s.Slots /= 2; return s.Slots > 1 },
		)
	}
	if !s.KeepThreads {
		fast := s.FastCores
		all = append(all,
			func(s *engine.Settings) bool { fewer := 0 < fast && fast < s.Threads; s.Threads = fast; return fewer },
			func(s *engine.Settings) bool { s.Threads /= 2; return s.Threads >= leastThreads },
		)
	}
	if p.whole && !s.KeepFlash {
		tried := false // from what it was to begin with to the other way
		all = append(all, func(s *engine.Settings) bool {
			s.FlashAttention = !s.FlashAttention
			first := !tried
			tried = true
			return first
		})
	}
	if p.whole && !s.KeepUnified {
		all = append(all, func(s *engine.Settings) bool { s.KVUnified = !s.KVUnified; return s.KVUnified })
	}
	return append(all,
		func(s *engine.Settings) bool {
			s.Microbatch *= 2
			s.Batch = max(s.Batch, s.Microbatch)
			return s.Microbatch <= mostMicrobatch
		},
		func(s *engine.Settings) bool { s.Microbatch /= 2; return s.Microbatch >= leastMicrobatch },
	)
}
