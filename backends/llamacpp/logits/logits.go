//go:build cgo

package logits

// #cgo CXXFLAGS: -std=c++17
// #include "logits.h"
import "C"

import (
	"runtime"
	"unsafe"

	"proctor/backends"
)

// Argmax is the place of the largest score, the first one of equals; [None] where a score is not a number or none is finite.
func Argmax(scores []float32) int32 {
	return int32(C.proctor_argmax((*C.float)(unsafe.SliceData(scores)), C.int32_t(len(scores))))
}

// Predict returns what the scores of each place say, with its top likeliest tokens, best first, of equals the first.
func Predict(places []Place, top int) []backends.Prediction {
	if len(places) == 0 {
		return nil
	}
	var kept runtime.Pinner
	defer kept.Unpin()
	vocabulary := len(places[0].Scores)
	top = min(top, vocabulary)
	wanted := make([]C.proctor_place, len(places))
	var ask []int32
	for i, p := range places {
		kept.Pin(unsafe.SliceData(p.Scores))
		wanted[i] = C.proctor_place{
			scores: (*C.float)(unsafe.SliceData(p.Scores)), token: C.int32_t(p.Token),
			ask_from: C.int32_t(len(ask)), ask_to: C.int32_t(len(ask) + len(p.Ask)),
		}
		if p.Reference != nil {
			kept.Pin(unsafe.SliceData(p.Reference))
			wanted[i].reference = (*C.float)(unsafe.SliceData(p.Reference))
		}
		ask = append(ask, p.Ask...)
	}
	asked, ofReference := make([]float64, len(ask)), make([]float64, len(ask))
	tokens, logprobs := make([]int32, len(places)*top), make([]float64, len(places)*top)
	results := make([]C.proctor_prediction, len(places))
	C.proctor_predict(C.int32_t(len(places)), &wanted[0], C.int32_t(vocabulary), C.int32_t(top),
		(*C.int32_t)(unsafe.SliceData(ask)), (*C.double)(unsafe.SliceData(asked)), (*C.double)(unsafe.SliceData(ofReference)),
		(*C.int32_t)(unsafe.SliceData(tokens)), (*C.double)(unsafe.SliceData(logprobs)), &results[0])
	all := make([]backends.Prediction, len(places))
	for i, r := range results {
		from, to := wanted[i].ask_from, wanted[i].ask_to
		all[i] = backends.Prediction{
			Token: places[i].Token, Logprob: float64(r.logprob), Entropy: float64(r.entropy), Rest: float64(r.rest),
			Asked: asked[from:to:to], Top: make([]backends.Logprob, top),
		}
		for n := range top {
			all[i].Top[n] = backends.Logprob{Token: tokens[i*top+n], Logprob: logprobs[i*top+n]}
		}
		if places[i].Reference != nil {
			all[i].Reference = &backends.Reference{
				Logprob: float64(r.reference_logprob), Entropy: float64(r.reference_entropy), Top: int32(r.reference_top),
				KLD: float64(r.kld), Asked: ofReference[from:to:to],
			}
		}
	}
	return all
}
