package bench

import (
	"context"

	"proctor/backends"
	"proctor/runner/mark/stats"
)

// The request for a model alone: a prompt as long as a question with its examples, and an answer long enough to be timed.
const (
	alonePrompt   = 512
	aloneGenerate = 128
	aloneTimes    = 3
)

// Alone is a model's speed with one request at a time, each with an empty cache, and its memory.
type Alone struct {
	Allocation      backends.Allocation
	Prefill, Decode stats.Number // tokens a second, the medians of three requests
}

// Alone measures an open model before it is planned. Its cache holds at least tokens.
func (b *Bench) Alone(ctx context.Context, model backends.Model, ref string, tokens int) (Alone, error) {
	_, here := model.(backends.Engine)
	s := &session{Way: Way{Opening: Opening{Ref: ref}}, Bench: b, model: model, began: b.Now(), load: Load{
		MadeUp:      MadeUp{Questions: 1, Own: min(alonePrompt, 3*tokens/4), Generate: min(aloneGenerate, tokens/4)},
		Repetitions: aloneTimes, WarmUp: true, Drawn: !here, Context: tokens,
	}}
	if err := s.answerAll(ctx, b.pace(1)); err != nil {
		return Alone{}, err
	}
	alone := Alone{Allocation: s.allocation}
	var prefill, decode []float64
	for _, p := range s.passes {
		prefill = append(prefill, per(p.Usage.PromptTokens-p.Usage.ReusedTokens, p.Prefill.Seconds()))
		decode = append(decode, per(p.Usage.OutputTokens, p.Decode.Seconds()))
	}
	alone.Prefill, alone.Decode = median(prefill), median(decode)
	return alone, nil
}

// median is the median of rates; undefined for none.
func median(rates []float64) stats.Number {
	if x := stats.Median(rates, stats.DefaultConfidence).Value; x.Or(0) > 0 {
		return x
	}
	return stats.Undefined
}
