package llamacpp

import (
	"context"
	"slices"
	"time"

	"proctor/backends"
)

// look says how closely a probe measures.
type look struct {
	shared, own int           // tokens that all prompts begin with, and of each prompt after them
	steps       int           // of one token for every slot, at least; an odd number
	time        time.Duration // for more steps
	whole       bool          // prompts are as long as the run's
}

// glance is the cheapest look: enough to tell a minute from an hour.
func glance() look { return look{shared: 1, own: 8, steps: 1} }

// stare is a look at what the run will do, as far as some seconds allow: prompts with a common beginning and parts of
// their own in the run's proportion, in all slots, then tokens generated after them. With one cache for all slots a
// token's attention goes over what all of them hold, so parts that differ are what such a cache has to be judged by.
func stare(w backends.Workload, s settings, rough pace) look {
	const affordable = 2 * time.Second
	own := min(max(ownTokens(w), 1), w.PromptTokens-1)
	shared := w.PromptTokens - own
	scale := min(1, rough.Prefill*affordable.Seconds()/float64(shared+s.sequences*own))
	return look{
		shared: max(1, int(scale*float64(shared))), own: max(8, int(scale*float64(own))),
		steps: 3, time: affordable / 4, whole: scale == 1,
	}
}

// probe measures how fast settings are, on random tokens.
func (m *Model) probe(ctx context.Context, s settings, l look) (pace, error) {
	b, err := m.newBench(s)
	if err != nil {
		return pace{}, err
	}
	defer b.Close()
	defer b.engine.cancelWith(ctx)()
	if err := b.run(ctx, b.text(0, l.shared, b.room)); err != nil {
		return pace{}, err
	}
	for seq := 1; seq < s.sequences; seq++ {
		b.engine.copy(0, int32(seq))
	}
	if b.engine.shares { // as in a run
		length := make([]int32, s.sequences)
		length[0] = int32(l.shared)
		b.engine.threads.Share(make([]int32, s.sequences), length)
	}
	var own filling
	for seq := range s.sequences {
		for i := range l.own {
			own.add(b, l.shared+i, seq, i == l.own-1)
		}
	}
	began := time.Now()
	if err := b.run(ctx, own.batches); err != nil {
		return pace{}, err
	}
	prefill := time.Since(began)
	step, err := b.step(ctx, s, l)
	if err != nil {
		return pace{}, err
	}
	return pace{
		Prefill: float64(l.own*s.sequences) / prefill.Seconds(),
		Decode:  float64(s.sequences) / step.Seconds(),
	}, nil
}

// step returns the median time of decoding a token for every sequence, after the prompts that they hold.
func (b *bench) step(ctx context.Context, s settings, l look) (time.Duration, error) {
	var took []time.Duration
	for began := time.Now(); len(took) < l.steps || time.Since(began) < l.time; {
		at := l.shared + l.own + len(took)
		if at == s.context {
			break
		}
		var all batch
		for seq := range s.sequences {
			all.add(b.token(), at, int32(seq), true, nil)
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
