package logits

import (
	"unsafe"

	"proctor/backends"
	"proctor/backends/llamacpp/kernels"
)

// Argmax is the place of the largest score, the first one of equals; [None] where a score is not a number or none is finite.
func Argmax(scores []float32) int32 {
	if c, err := kernels.Reducing(); err == nil {
		return c.Argmax(unsafe.SliceData(scores), int32(len(scores)))
	}
	return argmax(scores)
}

// Predict returns what the scores of each place say, with its top likeliest tokens, best first, of equals the first.
func Predict(places []Place, top int) []backends.Prediction {
	c, err := kernels.Reducing()
	if err != nil || len(places) == 0 {
		return predictAll(places, top)
	}
	vocabulary := len(places[0].Scores)
	top = min(top, vocabulary)
	wanted := make([]kernels.Place, len(places))
	var ask []int32
	for i, p := range places {
		wanted[i] = kernels.Place{
			Scores: unsafe.SliceData(p.Scores), Token: p.Token, AskFrom: int32(len(ask)), AskTo: int32(len(ask) + len(p.Ask)),
		}
		ask = append(ask, p.Ask...)
	}
	askLogprobs := make([]float64, len(ask))
	tokens, logprobs := make([]int32, len(places)*top), make([]float64, len(places)*top)
	results := make([]kernels.Prediction, len(places))
	c.Predict(int32(len(places)), unsafe.SliceData(wanted), int32(vocabulary), int32(top), unsafe.SliceData(ask), unsafe.SliceData(askLogprobs),
		nil, unsafe.SliceData(tokens), unsafe.SliceData(logprobs), unsafe.SliceData(results))
	all := make([]backends.Prediction, len(places))
	for i, r := range results {
		from, to := wanted[i].AskFrom, wanted[i].AskTo
		all[i] = backends.Prediction{
			Token: places[i].Token, Logprob: r.Logprob, Entropy: r.Entropy, Rest: r.Rest, AskLogprobs: askLogprobs[from:to:to],
			Top: make([]backends.Logprob, top),
		}
		for n := range top {
			all[i].Top[n] = backends.Logprob{Token: tokens[i*top+n], Logprob: logprobs[i*top+n]}
		}
	}
	return all
}
