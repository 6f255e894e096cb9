package llamacpp

// #include <stdlib.h>
// #include "engine.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/cgo"
	"unsafe"

	"proctor/backends/llamacpp/kernels"
)

// cString returns s for C and the function that frees it.
func cString(s string) (*C.char, func()) {
	c := C.CString(s)
	return c, func() { C.free(unsafe.Pointer(c)) }
}

// weights is a loaded model: its tensors and its vocabulary.
type weights struct {
	model *C.struct_llama_model
	vocab *C.struct_llama_vocab

	bos    int32 // the token that prompts begin with, where addBOS says so
	addBOS bool
	addEOS bool // the tokenizer ends every text with an end token, which a prompt must not have

	ownKernels bool // packed for them
	endless    bool // no token ends a text: a benchmark generates as many as it is told to
}

// load reads a model.
func load(ctx context.Context, o Options, log *listener) (*weights, error) {
	name, free := cString(o.Path)
	defer free()
	handle := cgo.NewHandle(func(done float64) bool {
		if o.Progress != nil {
			o.Progress(done)
		}
		return ctx.Err() == nil
	})
	defer handle.Delete()
	var model *C.struct_llama_model
	own := o.Kernels == KernelsProctor
	kernels.Load(own, func() { model = C.proctor_model_load(name, C.int32_t(o.GPULayers), C.uintptr_t(handle)) })
	w, err := newWeights(model, o.Path, log)
	if ended := ctx.Err(); err != nil && ended != nil {
		return nil, ended
	}
	if err != nil {
		return nil, err
	}
	w.ownKernels = own
	return w, nil
}

// newWeights takes over what llama.cpp loaded from path, or says why that is nothing.
func newWeights(model *C.struct_llama_model, path string, log *listener) (*weights, error) {
	if model == nil {
		return nil, fmt.Errorf("%s: llama.cpp cannot load it: %s", path, log.reason("it gave no reason"))
	}
	w := &weights{model: model, vocab: C.llama_model_get_vocab(model)}
	if err := w.check(); err != nil {
		w.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	w.bos = int32(C.llama_vocab_bos(w.vocab))
	w.addBOS = bool(C.llama_vocab_get_add_bos(w.vocab))
	w.addEOS = bool(C.llama_vocab_get_add_eos(w.vocab))
	return w, nil
}

//export proctorProgress
func proctorProgress(done C.float, handle C.uintptr_t) C.bool {
	goOn := cgo.Handle(handle).Value().(func(float64) bool)
	return C.bool(goOn(float64(done)))
}

// check refuses models that cannot continue a text token by token.
func (w *weights) check() error {
	switch {
	case bool(C.llama_model_has_encoder(w.model)):
		return errors.New("an encoder model, which cannot complete a prompt: choose a decoder-only language model")
	case bool(C.llama_model_is_diffusion(w.model)):
		return errors.New("a diffusion model, which does not write token by token: choose another model")
	case C.llama_vocab_type(w.vocab) == C.LLAMA_VOCAB_TYPE_NONE:
		return errors.New("a model without a vocabulary: it cannot read text")
	}
	return nil
}

// Close frees the model; it is safe to call twice.
func (w *weights) Close() {
	if w.model != nil {
		C.llama_model_free(w.model)
		w.model = nil
	}
}

// recurrent says whether the model's memory is a state instead of a cache of tokens, so that it cannot be cut back
// to a prefix.
func (w *weights) recurrent() bool {
	return bool(C.llama_model_is_recurrent(w.model)) || w.hybrid()
}

// hybrid says whether some layers are recurrent and others attend to a cache.
func (w *weights) hybrid() bool { return bool(C.llama_model_is_hybrid(w.model)) }

// tokenize returns the tokens of a prompt, with the BOS token at its beginning exactly once where the model wants
// one, also when the text brings it along; names of control tokens in the text become those tokens.
func (w *weights) tokenize(prompt string) ([]int32, error) {
	if len(prompt) > math.MaxInt32/2 {
		return nil, fmt.Errorf("a prompt of %d bytes is more than llama.cpp can take", len(prompt))
	}
	text, free := cString(prompt)
	defer free()
	tokens := make([]int32, len(prompt)+8)
	n := C.proctor_tokenize(w.vocab, text, C.int32_t(len(prompt)), (*C.int32_t)(&tokens[0]), C.int32_t(len(tokens)))
	if n < 0 && n != math.MinInt32 { // more tokens than bytes: -n are needed
		tokens = make([]int32, -n)
		n = C.proctor_tokenize(w.vocab, text, C.int32_t(len(prompt)), (*C.int32_t)(&tokens[0]), C.int32_t(len(tokens)))
	}
	if n < 0 {
		return nil, errors.New("llama.cpp cannot tokenise the prompt")
	}
	tokens = tokens[:n]
	if w.addBOS && len(tokens) > 1 && tokens[0] == w.bos && tokens[1] == w.bos {
		tokens = tokens[1:]
	}
	if w.addEOS && len(tokens) > 0 && w.isEnd(tokens[len(tokens)-1]) {
		tokens = tokens[:len(tokens)-1]
	}
	return tokens, nil
}

// size returns how many tokens there are.
func (w *weights) size() int32 { return int32(C.llama_vocab_n_tokens(w.vocab)) }

// ends says whether a token ends the text that is being generated.
func (w *weights) ends(token int32) bool { return !w.endless && w.isEnd(token) }

// isEnd says whether a token is an end of generation.
func (w *weights) isEnd(token int32) bool {
	return bool(C.llama_vocab_is_eog(w.vocab, C.llama_token(token)))
}

// piece appends the bytes of a token to buf; control tokens have none.
func (w *weights) piece(buf []byte, token int32) []byte {
	var room [64]byte
	n := C.llama_token_to_piece(w.vocab, C.llama_token(token), (*C.char)(unsafe.Pointer(&room[0])), C.int32_t(len(room)), 0, false)
	if n >= 0 {
		return append(buf, room[:n]...)
	}
	long := make([]byte, -n)
	n = C.llama_token_to_piece(w.vocab, C.llama_token(token), (*C.char)(unsafe.Pointer(&long[0])), C.int32_t(len(long)), 0, false)
	return append(buf, long[:max(n, 0)]...)
}
