package tune

import (
	"context"
	"slices"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// A Probe is a short measurement, and says how closely it measures.
type Probe struct {
	shared, own int           // tokens that all prompts begin with, and of each prompt after them
	steps       int           // of one token for every slot, at least; an odd number
	time        time.Duration // for more steps
	whole       bool          // prompts are as long as the run's
}

// roughProbe is the cheapest one: enough to tell a minute from an hour.
func roughProbe() Probe { return Probe{shared: 1, own: 8, steps: 1} }

// closeProbe imitates the run within an affordable time: prompts with a common beginning and parts of their own in the run's proportion, in all
// slots, then tokens generated after them. With one cache for all slots a token's attention goes over everything that the slots hold, so such a
// cache is measured by parts that differ.
func closeProbe(w backends.Workload, s engine.Settings, rough Pace, affordable time.Duration) Probe {
	own := min(max(ownTokens(w), 1), w.PromptTokens-1)
	shared := w.PromptTokens - own
	scale := min(1, rough.Prefill*affordable.Seconds()/float64(shared+s.Slots*own))
	return Probe{
		shared: max(1, int(scale*float64(shared))), own: max(8, int(scale*float64(own))),
		steps: 3, time: affordable / 4, whole: scale == 1,
	}
}

// Measure returns how fast the feed's engine is, which was made with these settings.
func (p Probe) Measure(ctx context.Context, f *Feed, s engine.Settings) (Pace, error) {
	defer f.Engine.CancelWith(ctx)()
	if err := f.Run(ctx, f.Text(p.shared, s.Batch)); err != nil {
		return Pace{}, err
	}
	f.CopyToAll(p.shared, s.Slots)
	own := f.Prompts(p.shared, p.own, s.Slots, s.Batch)
	began := time.Now()
	if err := f.Run(ctx, own); err != nil {
		return Pace{}, err
	}
	prefill := time.Since(began)
	step, err := p.step(ctx, f, s)
	if err != nil {
		return Pace{}, err
	}
	return Pace{
		Prefill: float64(p.own*s.Slots) / prefill.Seconds(),
		Decode:  float64(s.Slots) / step.Seconds(),
	}, nil
}

// step returns the median time of decoding a token for every slot, after the prompts that they hold.
func (p Probe) step(ctx context.Context, f *Feed, s engine.Settings) (time.Duration, error) {
	var took []time.Duration
	for began := time.Now(); len(took) < p.steps || time.Since(began) < p.time; {
		at := p.shared + p.own + len(took)
		if at == s.Context {
			break
		}
		tokens := f.Step(at, s.Slots, s.Slots)
		each := time.Now()
		if err := f.Run(ctx, tokens); err != nil {
			return 0, err
		}
		took = append(took, time.Since(each))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}
