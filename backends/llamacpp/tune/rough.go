package tune

import (
	"context"
	"fmt"
	"slices"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

const (
	// typicalOwnPart is 5 where a fifth of a prompt's tokens are its own, and it shares the others. It stands for a
	// workload that does not tell.
	typicalOwnPart = 5

	affordable = 500 * time.Millisecond // for the prompts that are measured
	// of such a prompt at most; what dies of a long prompt answers the short ones first
	roughTokens = 256
	roughOwn    = 8 // of them at least that no other prompt has
	roughSteps  = 3 // tokens to write at least, of which the median counts
)

// Pace is how fast an engine is, in tokens a second. Decoding is that of all slots together.
type Pace struct{ Prefill, Decode float64 }

// String is the pace for people.
func (p Pace) String() string {
	return fmt.Sprintf("prefill %.0f t/s, decode %.0f t/s", p.Prefill, p.Decode)
}

// Expected is how long the whole workload takes in a run that keeps the slots busy, if completions are as long as they
// typically are.
func (p Pace) Expected(w backends.Workload) time.Duration {
	each := float64(ownTokens(w))/p.Prefill + float64(output(w))/p.Decode
	return time.Duration(each * float64(w.Requests) * float64(time.Second))
}

// Source says what a time rests on: the pace, and how long completions are taken to be.
func (p Pace) Source(w backends.Workload) string {
	switch {
	case w.MaxTokens == 0:
		return p.String()
	case w.OutputSource != "":
		return fmt.Sprintf("%s, %d tokens an answer, %s", p, output(w), w.OutputSource)
	}
	return fmt.Sprintf("%s, %d tokens an answer", p, output(w))
}

// output is how many tokens a completion is taken to have.
func output(w backends.Workload) int {
	if w.OutputTokens > 0 {
		return w.OutputTokens
	}
	return min(w.MaxTokens, backends.AssumedOutput)
}

// ownTokens is how many tokens of a prompt are to be decoded for it alone, on average.
func ownTokens(w backends.Workload) int {
	if w.UniqueTokens > 0 && w.Requests > 0 {
		return w.UniqueTokens / w.Requests
	}
	return w.PromptTokens / typicalOwnPart
}

// Rough estimates the pace of a run with these settings within about a second, from what a small engine of one slot
// does: the time of a step is that of reading the weights, and further slots add to it what their tokens' products
// take, as in prefill. open makes an engine with settings, for a feed; free frees it.
func Rough(
	ctx context.Context, w backends.Workload, s engine.Settings,
	open func(engine.Settings) (f *Feed, free func(), err error),
) (Pace, error) {
	slots := float64(s.Slots)
	s.Slots, s.Context = 1, min(s.Context, 2*roughTokens)
	measured := func(p probe) (Pace, error) {
		f, free, err := open(s)
		if err != nil {
			return Pace{}, err
		}
		defer free()
		return p.measure(ctx, f, s)
	}
	began := time.Now()
	found, err := measured(probe{shared: 1, own: roughOwn, steps: 1})
	if err == nil && time.Since(began) < affordable && w.PromptTokens > 1 {
		prompt := min(w.PromptTokens, roughTokens, s.Context-roughOwn-roughSteps)
		own := min(max(ownTokens(w), 1), prompt-1)
		scale := min(1, found.Prefill*affordable.Seconds()/float64(prompt))
		found, err = measured(probe{
			shared: max(1, int(scale*float64(prompt-own))), own: max(roughOwn, int(scale*float64(own))),
			steps: roughSteps, time: affordable / 4,
		})
	}
	if err != nil {
		return Pace{}, err
	}
	return Pace{Prefill: found.Prefill, Decode: slots / (1/found.Decode + (slots-1)/found.Prefill)}, nil
}

// A probe is a short measurement: a prompt that begins as others do, and tokens that are written after it, one by one.
type probe struct {
	shared, own int           // tokens that all prompts begin with, and of a prompt after them
	steps       int           // of one token, at least; an odd number
	time        time.Duration // for more steps, while the context holds them
}

// measure returns how fast the feed's engine of one slot is, which was made with these settings.
func (p probe) measure(ctx context.Context, f *Feed, s engine.Settings) (Pace, error) {
	defer f.Engine.CancelWith(ctx)()
	if err := f.Run(ctx, f.Text(0, p.shared, s.Batch)); err != nil {
		return Pace{}, err
	}
	own := f.Text(p.shared, p.own, s.Batch)
	began := time.Now()
	if err := f.Run(ctx, own); err != nil {
		return Pace{}, err
	}
	prefill := time.Since(began)
	var took []time.Duration
	for began, at := time.Now(), p.shared+p.own; len(took) < p.steps ||
		time.Since(began) < p.time && at < s.Context; at++ {
		token := f.Text(at, 1, 1)
		each := time.Now()
		if err := f.Run(ctx, token); err != nil {
			return Pace{}, err
		}
		took = append(took, time.Since(each))
	}
	slices.Sort(took)
	return Pace{Prefill: float64(p.own) / prefill.Seconds(), Decode: 1 / took[len(took)/2].Seconds()}, nil
}
