package llamacpp

// #include "engine.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"unsafe"

	"proctor/backends"
	"proctor/backends/llamacpp/kernels"
)

// settings are those of a context, fixed for its life.
type settings struct {
	context   int // tokens a sequence holds
	sequences int
	batch     int // tokens of one call
	ubatch    int // tokens computed at a time
	threads   int
	yielding  bool // on fewer threads while other programs compute
	kvType    string
	valueType string // of the cache's values, where it is not kvType
	flash     bool   // flash attention
	unified   bool   // one cache for all sequences instead of one each
	windowed  bool   // layers with a sliding window keep only the tokens in it
}

// kvTypes are the element types that llama.cpp has kernels for in the cache.
var kvTypes = map[string]C.enum_ggml_type{
	"f32": C.GGML_TYPE_F32, "f16": C.GGML_TYPE_F16, "bf16": C.GGML_TYPE_BF16,
	"q8_0": C.GGML_TYPE_Q8_0, "q5_1": C.GGML_TYPE_Q5_1, "q5_0": C.GGML_TYPE_Q5_0,
	"q4_1": C.GGML_TYPE_Q4_1, "q4_0": C.GGML_TYPE_Q4_0, "iq4_nl": C.GGML_TYPE_IQ4_NL,
}

// engine is a context: the cache, the compute buffers and the threads. One goroutine uses it; cancel alone may be
// called from others.
type engine struct {
	c       *C.proctor_engine
	batch   batch
	drawn   []int32
	context int
	threads *kernels.Threads // where our own kernels compute attention
	shares  bool             // attention can go once through what several sequences begin with
	crowd   *crowd           // nil where the number of threads is fixed
}

func newEngine(w *weights, s settings, log *listener) (*engine, error) {
	c := C.proctor_engine_new(w.model, C.proctor_settings{
		context: C.uint32_t(s.context), sequences: C.uint32_t(s.sequences),
		batch: C.uint32_t(s.batch), ubatch: C.uint32_t(s.ubatch), threads: C.int32_t(s.threads),
		kv_type: kvTypes[s.kvType], value_type: kvTypes[cmp.Or(s.valueType, s.kvType)],
		flash_attention: C.bool(s.flash), unified: C.bool(s.unified), windowed: C.bool(s.windowed),
	})
	if c == nil {
		return nil, fmt.Errorf("llama.cpp cannot make a context of %d slots with %d tokens each: %s", s.sequences, s.context, log.reason("it gave no reason"))
	}
	e := &engine{c: c, context: int(C.proctor_engine_context(c)), drawn: make([]int32, s.batch)}
	if pool := C.proctor_engine_pool(c); w.ownKernels && pool != nil {
		threads := kernels.Attach(unsafe.Pointer(pool))
		e.threads = &threads
		e.shares = !s.unified && !s.windowed && !w.recurrent()
	}
	if s.yielding {
		e.crowd = newCrowd(s.threads)
	}
	return e, nil
}

// Close frees the context; it is safe to call twice.
func (e *engine) Close() {
	if e.c != nil {
		if e.threads != nil {
			e.threads.Detach()
		}
		C.proctor_engine_free(e.c)
		e.c = nil
	}
}

// batch is the tokens of one decode, in the order of their sequences' numbers.
type batch struct {
	token, pos, seq []int32
	draw            []int8
	samplers        []*C.struct_llama_sampler
}

func (b *batch) reset() {
	b.token, b.pos, b.seq, b.draw, b.samplers = b.token[:0], b.pos[:0], b.seq[:0], b.draw[:0], b.samplers[:0]
}

func (b *batch) len() int { return len(b.token) }

// add appends a token of a sequence. With draw, the token that follows is drawn, by s or greedily where s is nil.
func (b *batch) add(token int32, pos int, seq int32, draw bool, s *sampler) {
	b.token = append(b.token, token)
	b.pos = append(b.pos, int32(pos))
	b.seq = append(b.seq, seq)
	var flag int8
	var chain *C.struct_llama_sampler
	if draw {
		flag = 1
		if s != nil {
			chain = s.chain
		}
	}
	b.draw = append(b.draw, flag)
	b.samplers = append(b.samplers, chain)
}

var (
	errCancelled = errors.New("cancelled")
	errNoRoom    = errors.New("the cache has no room")
)

// decodeError is a failure of llama.cpp to decode a batch.
type decodeError struct {
	cause  backends.Cause
	reason string
}

func (e *decodeError) Error() string { return e.reason }

// noToken is drawn where the model's scores are no numbers.
const noToken = C.PROCTOR_NO_TOKEN

// decode evaluates the batch. The drawn tokens stand at the places of the tokens they follow, until the next call.
func (e *engine) decode(log *listener) (drawn []int32, err error) {
	e.makeRoom()
	b := &e.batch
	result := C.proctor_engine_decode(e.c, C.int32_t(b.len()),
		(*C.int32_t)(&b.token[0]), (*C.int32_t)(&b.pos[0]), (*C.int32_t)(&b.seq[0]),
		(*C.int8_t)(&b.draw[0]), (**C.struct_llama_sampler)(unsafe.Pointer(&b.samplers[0])), (*C.int32_t)(&e.drawn[0]))
	if err := failure(int(result), log); err != nil {
		return nil, err
	}
	return e.drawn[:b.len()], nil
}

// makeRoom leaves cores to other programs, or takes them back.
func (e *engine) makeRoom() {
	if e.crowd == nil {
		return
	}
	if threads, changed := e.crowd.look(); changed {
		C.proctor_engine_threads(e.c, C.int32_t(threads))
	}
}

// failure tells what the result of a decode means; nil where it is done.
func failure(result int, log *listener) error {
	switch result {
	case 0:
		return nil
	case 1:
		return errNoRoom
	case 2:
		return errCancelled
	case -2:
		return &decodeError{backends.CauseMemory, log.reason("llama.cpp could not get memory for a batch")}
	}
	return &decodeError{backends.CauseEngine, log.reason(fmt.Sprintf("llama.cpp failed to decode a batch (%d)", result))}
}

// evaluate decodes the batch and draws nothing.
func (e *engine) evaluate(log *listener) error {
	e.makeRoom()
	b := &e.batch
	return failure(int(C.proctor_engine_evaluate(e.c, C.int32_t(b.len()),
		(*C.int32_t)(&b.token[0]), (*C.int32_t)(&b.pos[0]), (*C.int32_t)(&b.seq[0]), (*C.int8_t)(&b.draw[0]))), log)
}

// cancel makes decodes fail with errCancelled at once, until it is called with false.
func (e *engine) cancel(on bool) { C.proctor_engine_cancel(e.c, C.bool(on)) }

// clear forgets all sequences.
func (e *engine) clear() { C.proctor_engine_clear(e.c) }

// trim forgets what a sequence holds from a position on; false where the model's memory cannot be cut there.
func (e *engine) trim(seq int32, from int) bool {
	return bool(C.proctor_engine_trim(e.c, C.int32_t(seq), C.int32_t(from)))
}

// copy makes sequence dst hold what src holds.
func (e *engine) copy(src, dst int32) { C.proctor_engine_copy(e.c, C.int32_t(src), C.int32_t(dst)) }
