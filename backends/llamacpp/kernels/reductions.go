package kernels

import "sync"

// Reductions reduce scores of all tokens; kernels.h says what to.
type Reductions struct {
	Argmax  func(scores *float32, n int32) int32 `c:"proctor_kernels_argmax"`
	Predict func(n int32, places *Place, vocabulary, top int32, ask *int32, askLogprobs, ofReference *float64, tokens *int32,
		logprobs *float64, predictions *Prediction) `c:"proctor_kernels_predict"`
	Reduce func(level int32) `c:"proctor_kernels_reduce"`
}

// Reducing is what reduces scores, whether this CPU has a level or not; an error says why there is nothing.
var Reducing = sync.OnceValues(bind[Reductions])

// A Place is a proctor_place.
type Place struct {
	Scores, Reference     *float32
	Token, AskFrom, AskTo int32
}

// A Prediction is a proctor_prediction.
type Prediction struct {
	Logprob, Entropy, Rest, ReferenceLogprob, ReferenceEntropy, KLD float64
	ReferenceTop                                                    int32
}
