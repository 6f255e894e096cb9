package llama

// #include "imatrix.h"
// #include "layers.h"
import "C"

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/machine"
)

// cacheTypes are the element types that llama.cpp has kernels for in the cache.
var cacheTypes = map[string]C.enum_ggml_type{
	"f32": C.GGML_TYPE_F32, "f16": C.GGML_TYPE_F16, "bf16": C.GGML_TYPE_BF16,
	"q8_0": C.GGML_TYPE_Q8_0, "q5_1": C.GGML_TYPE_Q5_1, "q5_0": C.GGML_TYPE_Q5_0,
	"q4_1": C.GGML_TYPE_Q4_1, "q4_0": C.GGML_TYPE_Q4_0, "iq4_nl": C.GGML_TYPE_IQ4_NL,
}

// CacheTypes lists the element types that a cache can have.
func CacheTypes() []string { return slices.Sorted(maps.Keys(cacheTypes)) }

// Engine is a context: the cache, the compute buffers and the threads. One goroutine uses it; Cancel alone may be called
// from others.
type Engine struct {
	c          *C.proctor_engine
	log        *listener
	tokens     []C.proctor_token // of the running decode
	drawn      []int32
	context    int
	reducers   int                 // threads that reduce scores to predictions
	threads    *kernels.Threads    // where package kernels computes attention
	shares     bool                // attention can go once through what several sequences begin with
	spoilt     bool                // the memory may hold what is no number
	window     int                 // tokens that layers with a sliding window keep; 0: all
	contention *machine.Contention // nil where the number of threads is fixed
}

// NewEngine makes a context, whose batches hold a token of every sequence at least. The model must outlive it.
func (m *Model) NewEngine(s engine.Settings) (*Engine, error) {
	s.Batch = max(s.Batch, s.Slots)
	flash := C.LLAMA_FLASH_ATTN_TYPE_DISABLED
	if s.FlashAttention {
		flash = C.LLAMA_FLASH_ATTN_TYPE_ENABLED
	}
	params, cache := contextParams(s, C.enum_llama_flash_attn_type(flash)), m.Cache()
	if cache.Hybrid && !s.KVUnified {
		params.n_ctx = C.uint32_t(cache.Cells(s)) // llama.cpp gives each sequence as many as it is told for all
	}
	if m.collected != nil {
		C.proctor_imatrix_collect(m.collected.c, &params)
	}
	c := C.proctor_engine_new(m.c, params)
	if c == nil {
		return nil, fmt.Errorf("llama.cpp cannot make a context of %d slots with %d tokens each: %s",
			s.Slots, s.Context, m.log.reason("it gave no reason"))
	}
	e := &Engine{
		c: c, log: m.log, context: engine.Cells(s.Context), drawn: make([]int32, s.Batch), reducers: max(1, s.Threads),
	}
	if m.packed && c.threads != nil {
		threads := kernels.Attach(unsafe.Pointer(c.threads), m.prompts)
		e.threads = &threads
		// llama.cpp computes with copies of a cache of 32-bit floats, and a copy does not tell which sequences it is of.
		wide := params.type_k == C.GGML_TYPE_F32 || params.type_v == C.GGML_TYPE_F32
		e.shares = !s.KVUnified && !(s.KVWindowed && cache.Window > 0) && !wide && (cache.Hybrid || !m.Recurrent())
	}
	if s.KVWindowed {
		e.window = cache.Window
	}
	if s.Yielding {
		e.contention = machine.Watch(s.Threads)
	}
	return e, nil
}

// contextParams are the settings as llama.cpp has them.
func contextParams(s engine.Settings, flash C.enum_llama_flash_attn_type) C.struct_llama_context_params {
	params := C.llama_context_default_params()
	params.n_ctx, params.n_seq_max = C.uint32_t(s.Context*s.Slots), C.uint32_t(s.Slots)
	params.n_batch, params.n_ubatch = C.uint32_t(s.Batch), C.uint32_t(s.Microbatch)
	params.n_threads, params.n_threads_batch = C.int32_t(s.Threads), C.int32_t(s.Threads)
	params.type_k, params.type_v = cacheTypes[s.KVType], cacheTypes[cmp.Or(s.ValueType, s.KVType)]
	params.flash_attn_type = flash
	params.kv_unified, params.swa_full = C.bool(s.KVUnified), C.bool(!s.KVWindowed)
	return params
}

// autoFlash is what llama.cpp logs where flash attention is left to it, and it takes it.
const autoFlash = "Flash Attention was auto, set to enabled"

// AutoFlash says whether llama.cpp takes flash attention with these settings where it is left to it, which it tells its log
// alone. It makes a context for that.
func (m *Model) AutoFlash(s engine.Settings) (bool, error) {
	taken := false
	log := listen("", func(_ slog.Level, line string) { taken = taken || strings.Contains(line, autoFlash) })
	defer log.Close()
	c := C.proctor_engine_new(m.c, contextParams(s, C.LLAMA_FLASH_ATTN_TYPE_AUTO))
	if c == nil {
		return false, fmt.Errorf("llama.cpp cannot make a context that decides about flash attention: %s", log.reason("it gave no reason"))
	}
	C.proctor_engine_free(c)
	return taken, nil
}

// Close frees the context; it is safe to call twice.
func (e *Engine) Close() {
	if e.c != nil {
		if e.threads != nil {
			e.threads.Detach()
		}
		C.proctor_engine_free(e.c)
		e.c = nil
	}
}

// Context is how many tokens a sequence can hold.
func (e *Engine) Context() int { return e.context }

// Batch is how many tokens a batch can hold.
func (e *Engine) Batch() int { return len(e.drawn) }

// Clear forgets all sequences, and overwrites what they held if it was spoilt since the last time.
func (e *Engine) Clear() {
	C.llama_memory_clear(e.memory(), C.bool(e.spoilt))
	e.spoilt = false
}

// Spoil says that sequences have left numbers that are none: llama.cpp would multiply some of them by 0, which leaves none.
func (e *Engine) Spoil() { e.spoilt = true }

// Trim forgets what a sequence holds from a position on; false where the model's memory cannot be cut there, and the sequence is
// to be emptied.
func (e *Engine) Trim(sequence int32, from int) bool {
	cut := bool(C.llama_memory_seq_rm(e.memory(), C.llama_seq_id(sequence), C.llama_pos(from), -1))
	if e.window == 0 || from == 0 || !cut {
		return cut
	}
	// What was cut may have taken the place of older tokens, which are in the window now.
	first := int(C.llama_memory_seq_pos_min(e.memory(), C.llama_seq_id(sequence)))
	return first >= 0 && first <= max(0, from-e.window+1)
}

// Copy makes sequence to hold what from holds.
func (e *Engine) Copy(from, to int32) {
	e.Trim(to, 0) // in a cache that sequences share, copies would come to what is there
	C.llama_memory_seq_cp(e.memory(), C.llama_seq_id(from), C.llama_seq_id(to), -1, -1)
	if e.window > 0 {
		C.proctor_engine_copy_now(e.c) // else a state that is set in the meantime would be overwritten
	}
}

func (e *Engine) memory() C.llama_memory_t { return C.llama_get_memory(e.c.context) }

// Shares says whether Share makes anything faster.
func (e *Engine) Shares() bool { return e.shares }

// Share tells, until it is called again, which sequences hold the same tokens at their beginning. group has for each
// sequence the first one of its prefix group, or -1 where it is in none; length has, at the place of such a first one, how
// many tokens that are. It does nothing where the engine does not share.
func (e *Engine) Share(group, length []int32) {
	if e.shares {
		e.threads.Share(group, length)
	}
}

// CancelWith makes decodes end with ctx. The returned function undoes it and waits until that is certain.
func (e *Engine) CancelWith(ctx context.Context) (undo func()) {
	cancelled := (*int32)(&e.c.cancelled)
	called := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(called)
		atomic.StoreInt32(cancelled, 1)
	})
	return func() {
		if !stop() {
			<-called
		}
		atomic.StoreInt32(cancelled, 0)
	}
}
