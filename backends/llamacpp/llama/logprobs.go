package llama

// #include "engine.h"
// #include "logprobs.h"
import "C"

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"unsafe"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// Predict tells of each place what the model says of its token, with so many of the likeliest ones. The scores must be
// numbers: [engine.NoToken] was drawn from none of them.
func (e *Engine) Predict(places []engine.Place, top int) []backends.Prediction {
	return e.predict(nil, places, top)
}

// PredictBeside is Predict beside a reference, an engine of the same vocabulary that decoded the same batch.
func (e *Engine) PredictBeside(reference *Engine, places []engine.Place, top int) []backends.Prediction {
	return e.predict(reference, places, top)
}

func (e *Engine) predict(reference *Engine, places []engine.Place, top int) []backends.Prediction {
	wanted := make([]C.proctor_place, len(places))
	var ask []int32
	for i, p := range places {
		wanted[i] = C.proctor_place{
			scores: C.llama_get_logits_ith(e.c.context, C.int32_t(p.At)), token: C.int32_t(p.Token),
			ask_from: C.int32_t(len(ask)), ask_to: C.int32_t(len(ask) + len(p.Ask)),
		}
		if reference != nil {
			wanted[i].reference = C.llama_get_logits_ith(reference.c.context, C.int32_t(p.At))
		}
		ask = append(ask, p.Ask...)
	}
	top = min(top, int(e.c.vocabulary))
	asked, ofReference := make([]float64, len(ask)), make([]float64, len(ask))
	tokens, logprobs := make([]int32, len(places)*top), make([]float64, len(places)*top)
	told := make([]C.proctor_prediction, len(places))
	var group sync.WaitGroup
	share := (len(places) + e.reducers - 1) / e.reducers
	for from := 0; from < len(places); from += share {
		n := min(share, len(places)-from)
		group.Go(func() {
			C.proctor_predict(C.int32_t(n), &wanted[from], e.c.vocabulary, C.int32_t(top),
				(*C.int32_t)(unsafe.SliceData(ask)), (*C.double)(unsafe.SliceData(asked)),
				(*C.double)(unsafe.SliceData(ofReference)), (*C.int32_t)(unsafe.SliceData(tokens[from*top:])),
				(*C.double)(unsafe.SliceData(logprobs[from*top:])), &told[from])
		})
	}
	group.Wait()
	predictions := make([]backends.Prediction, len(places))
	for i, t := range told {
		predictions[i] = backends.Prediction{
			Token: places[i].Token, Logprob: float64(t.logprob), Entropy: float64(t.entropy), Rest: float64(t.rest),
			Asked: asked[wanted[i].ask_from:wanted[i].ask_to:wanted[i].ask_to],
			Top:   make([]backends.Logprob, top),
		}
		for j := range top {
			predictions[i].Top[j] = backends.Logprob{Token: tokens[i*top+j], Logprob: logprobs[i*top+j]}
		}
		if reference != nil {
			predictions[i].Reference = &backends.Reference{
				Logprob: float64(t.reference_logprob), Entropy: float64(t.reference_entropy), Top: int32(t.reference_top),
				KLD: float64(t.kld), Asked: ofReference[wanted[i].ask_from:wanted[i].ask_to:wanted[i].ask_to],
			}
		}
	}
	return predictions
}

// Scores are those of all tokens at a place of the last batch, decoded with Draw, until the next decode: what [Engine.Predict]
// reduces, for those who check it.
func (e *Engine) Scores(at int) []float32 {
	return unsafe.Slice((*float32)(C.llama_get_logits_ith(e.c.context, C.int32_t(at))), e.c.vocabulary)
}

// VocabularySHA256 is a digest of all tokens, their kinds, what texts begin and end with, and the name of the way in which
// texts are split before they become tokens, in hexadecimal.
func (m *Model) VocabularySHA256(splitting string) string {
	hash := sha256.New()
	fmt.Fprintln(hash, splitting, C.llama_vocab_type(m.vocab), C.llama_vocab_bos(m.vocab), C.llama_vocab_eos(m.vocab),
		C.llama_vocab_get_add_bos(m.vocab), C.llama_vocab_get_add_eos(m.vocab))
	for token := range C.llama_token(m.Tokens()) {
		fmt.Fprintf(hash, "%d %q\n", C.llama_vocab_get_attr(m.vocab, token), m.text(token))
	}
	return hex.EncodeToString(hash.Sum(nil))
}
