package bench

import (
	"context"

	"proctor/backends"
	"proctor/runner/mark/stats"
)

// What a model is asked alone: a prompt of a question with its examples, and an answer that is long enough to be timed.
const (
	alonePrompt   = 512
	aloneGenerate = 128
	aloneTimes    = 3
)

// Alone is how fast a model answers one request at a time, each from an empty cache, and what it takes meanwhile.
type Alone struct {
	Allocation      backends.Allocation
	Prefill, Decode stats.Number // tokens a second, the medians of three requests
}

// Alone measures an open model, which was planned for nothing yet. Its cache holds so many tokens, or more.
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

// median is that of rates; undefined where nothing was timed.
func median(rates []float64) stats.Number {
	if x := stats.Median(rates, stats.DefaultConfidence).Value; x.Or(0) > 0 {
		return x
	}
	return stats.Undefined
}
