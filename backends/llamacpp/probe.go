package llamacpp

import (
	"context"
	"slices"
	"time"

	"proctor/backends"
)

// look says how closely a probe measures.
type look struct {
	prompt int           // tokens
	steps  int           // of one token for every slot, at least; an odd number
	time   time.Duration // for more steps
}

// glance is the cheapest look: enough to tell a minute from an hour.
func glance(w backends.Workload) look { return look{prompt: min(64, max(w.PromptTokens, 1)), steps: 1} }

// stare is a look at what the run will do, as far as about a second allows: a prompt as long as the longest one, and
// slots that generate after it.
func stare(w backends.Workload, rough pace) look {
	const half = 500 * time.Millisecond
	affordable := int(rough.Prefill * half.Seconds())
	return look{prompt: min(max(affordable, 64), max(w.PromptTokens, 1)), steps: 3, time: half}
}

// probe measures how fast settings are, on random tokens.
func (m *Model) probe(ctx context.Context, s settings, l look) (pace, error) {
	b, err := m.newBench(s)
	if err != nil {
		return pace{}, err
	}
	defer b.Close()
	defer b.engine.cancelWith(ctx)()
	if err := b.run(ctx, b.text(0, 1, 1)); err != nil { // the first graph is built and memory touched for it
		return pace{}, err
	}
	b.engine.clear()
	prompt := b.text(0, l.prompt, b.room)
	began := time.Now()
	if err := b.run(ctx, prompt); err != nil {
		return pace{}, err
	}
	prefill := time.Since(began)
	for seq := 1; seq < s.sequences; seq++ {
		b.engine.copy(0, int32(seq))
	}
	step, err := b.step(ctx, s, l)
	if err != nil {
		return pace{}, err
	}
	return pace{
		Prefill: float64(l.prompt) / prefill.Seconds(),
		Decode:  float64(s.sequences) / step.Seconds(),
	}, nil
}

// step returns the median time of decoding a token for every sequence, after the prompt that they all hold.
func (b *bench) step(ctx context.Context, s settings, l look) (time.Duration, error) {
	var took []time.Duration
	for began := time.Now(); len(took) < l.steps || time.Since(began) < l.time; {
		if l.prompt+len(took) == s.context {
			break
		}
		var all batch
		for seq := range s.sequences {
			all.add(b.token(), l.prompt+len(took), int32(seq), true, nil)
		}
		each := time.Now()
		if err := b.run(ctx, []batch{all}); err != nil {
			return 0, err
		}
		took = append(took, time.Since(each))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}
