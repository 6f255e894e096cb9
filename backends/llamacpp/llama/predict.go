package llama

import (
	"sync"
	"unsafe"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/logits"
)

// Predict returns how likely the model holds the token at each place, and the likeliest tokens there. The scores must
// be numbers: [engine.NoToken] was drawn from none of them.
func (e *Engine) Predict(places []engine.Place, top int) []backends.Prediction {
	wanted := make([]logits.Place, len(places))
	for i, p := range places {
		wanted[i] = logits.Place{Scores: e.Scores(p.At), Token: p.Token, Ask: p.Ask}
	}
	predictions := make([]backends.Prediction, len(places))
	e.spread(len(places), func(from, to int) { copy(predictions[from:to], logits.Predict(wanted[from:to], top)) })
	return predictions
}

// spread divides n places among as many goroutines as the engine has threads, which wait for the next batch.
func (e *Engine) spread(n int, compute func(from, to int)) {
	var group sync.WaitGroup
	share := (n + e.most - 1) / e.most
	for from := 0; from < n; from += share {
		group.Go(func() { compute(from, min(from+share, n)) })
	}
	group.Wait()
}

// Scores are those of all tokens at a place of the last batch, decoded with Draw, until the next decode: what
// [Engine.Predict] reduces, for those who check it.
func (e *Engine) Scores(at int) []float32 {
	return unsafe.Slice(e.lib.LlamaGetLogitsIth(e.context, int32(at)), e.vocabulary)
}
