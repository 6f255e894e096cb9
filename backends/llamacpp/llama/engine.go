package llama

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"unsafe"

	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
)

// cacheTypes are the element types that llama.cpp has kernels for in the cache, each with its ggml_type.
var cacheTypes = map[string]int{
	"f32": 0, "f16": 1, "bf16": 30, "q8_0": 8, "q5_1": 7, "q5_0": 6, "q4_1": 3, "q4_0": 2, "iq4_nl": 20,
}

// CacheTypes lists the element types that a cache can have.
func CacheTypes() []string { return slices.Sorted(maps.Keys(cacheTypes)) }

// Engine is a context: the cache, the compute buffers and the threads. One goroutine uses it; Cancel alone may be called
// from others.
type Engine struct {
	lib        *Library
	context    unsafe.Pointer // llama_context
	pool       unsafe.Pointer // ggml_threadpool that it computes with; nil where llama.cpp makes its own for each decode
	batch      batch
	interrupt  *interrupt
	log        *listener
	drawn      []int32
	vocabulary int              // tokens that there are
	tokens     int              // that a sequence can hold
	most, now  int              // threads: that it has, and that it computes on
	threads    *kernels.Threads // where package kernels computes attention
	shares     bool             // attention can go once through what several sequences begin with
	spoilt     bool             // the memory may hold what is no number
	window     int              // tokens that layers with a sliding window keep; 0: all
	watch      engine.Watch     // nil where it computes on all threads
}

// NewEngine makes a context, whose batches hold a token of every sequence at least. The model must outlive it.
func (m *Model) NewEngine(s engine.Settings) (*Engine, error) {
	s.Batch = max(s.Batch, s.Slots)
	cache := m.Cache()
	e, err := m.newContext(s, cache)
	if err != nil {
		return nil, fmt.Errorf("llama.cpp cannot make a context of %d slots with %d tokens each: %w", s.Slots, s.Context, err)
	}
	e.tokens, e.drawn = engine.Cells(s.Context), make([]int32, s.Batch)
	e.most, e.now, e.watch = max(1, s.Threads), s.Threads, s.Watch
	if m.packed && e.pool != nil {
		threads := kernels.Attach(e.pool, s.Rotation)
		e.threads = &threads
		// llama.cpp computes with copies of a cache of 32-bit floats, and a copy does not tell which sequences it is of.
		key, value := s.CacheTypes()
		wide := key == "f32" || value == "f32"
		e.shares = !(s.KVWindowed && cache.Window > 0) && !wide && (cache.Hybrid || !m.Recurrent())
	}
	if s.KVWindowed {
		e.window = cache.Window
	}
	return e, nil
}

// Values of llama_flash_attn_type.
const (
	flashDisabled = 0
	flashEnabled  = 1
)

// newContext makes a context with its threads and its batch.
func (m *Model) newContext(s engine.Settings, cache engine.Cache) (*Engine, error) {
	l := m.lib
	e := &Engine{lib: l, log: m.log, interrupt: newInterrupt(), vocabulary: int(m.Tokens())}
	p, fields := m.contextParams(s), l.layout.Context
	if cache.Wide {
		p.SetInt(fields.Context, cache.Cells(s)) // with separate caches each sequence gets as many as are set for all
	}
	e.interrupt.setIn(&p, fields)
	e.context = l.LlamaInitFromModel(m.c, p)
	if e.context == nil {
		e.interrupt.free()
		return nil, errors.New(m.log.reason("it gave no reason"))
	}
	if l.GgmlThreadpoolNew != nil {
		threads := l.GgmlThreadpoolParamsDefault(int32(s.Threads))
		e.pool = l.GgmlThreadpoolNew(&threads)
	}
	if e.pool != nil {
		l.LlamaAttachThreadpool(e.context, e.pool, e.pool)
	}
	e.batch = l.LlamaBatchInit(int32(s.Batch), 0, 1)
	if err := e.adapt(m.adapters); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// contextParams are the settings as llama.cpp has them.
func (m *Model) contextParams(s engine.Settings) params {
	p, fields := m.lib.LlamaContextDefaultParams(), m.lib.layout.Context
	p.SetInt(fields.Context, s.Context*s.Slots)
	p.SetInt(fields.Sequences, s.Slots)
	p.SetInt(fields.Batch, s.Batch)
	p.SetInt(fields.Microbatch, s.Microbatch)
	p.SetInt(fields.Threads, s.Threads)
	p.SetInt(fields.BatchThreads, s.Threads)
	key, value := s.CacheTypes()
	p.SetInt(fields.TypeK, cacheTypes[key])
	p.SetInt(fields.TypeV, cacheTypes[value])
	p.SetInt(fields.Flash, flashDisabled)
	if s.FlashAttention {
		p.SetInt(fields.Flash, flashEnabled)
	}
	p.SetBool(fields.Unified, false) // in one cache for all slots a token's attention goes over what all of them hold
	p.SetBool(fields.SwaFull, !s.KVWindowed)
	return p
}

// Close frees the context; it is safe to call twice.
func (e *Engine) Close() {
	if e.context == nil {
		return
	}
	if e.threads != nil {
		e.threads.Detach()
	}
	e.lib.LlamaDetachThreadpool(e.context)
	e.lib.LlamaFree(e.context)
	if e.pool != nil {
		e.lib.GgmlThreadpoolFree(e.pool)
	}
	e.lib.LlamaBatchFree(e.batch)
	e.interrupt.free()
	e.context = nil
}

// Context is how many tokens a sequence can hold.
func (e *Engine) Context() int { return e.tokens }

// Batch is how many tokens a batch can hold.
func (e *Engine) Batch() int { return len(e.drawn) }

// Clear forgets all sequences, and overwrites what they held if it was spoilt since the last time.
func (e *Engine) Clear() {
	e.lib.LlamaMemoryClear(e.memory(), e.spoilt)
	e.spoilt = false
}

// Spoil says that sequences have left numbers that are none: llama.cpp would multiply some of them by 0, which leaves none.
func (e *Engine) Spoil() { e.spoilt = true }

// Trim forgets a sequence from a position on. It returns false where the model's memory cannot be cut there; the caller then
// empties the sequence.
func (e *Engine) Trim(sequence int32, from int) bool {
	cut := e.lib.LlamaMemorySeqRm(e.memory(), sequence, int32(from), -1)
	if e.window == 0 || from == 0 || !cut {
		return cut
	}
	// What was cut may have taken the place of older tokens, which are in the window now.
	first := int(e.lib.LlamaMemorySeqPosMin(e.memory(), sequence))
	return first >= 0 && first <= max(0, from-e.window+1)
}

// Copy makes sequence to hold what from holds.
func (e *Engine) Copy(from, to int32) {
	e.Trim(to, 0) // in a cache that sequences share, copies would come to what is there
	e.lib.LlamaMemorySeqCp(e.memory(), from, to, -1, -1)
	if e.window > 0 && e.lib.ProctorCopyNow != nil {
		e.lib.ProctorCopyNow(e.context) // else a state that is set in the meantime would be overwritten
	}
}

func (e *Engine) memory() unsafe.Pointer { return e.lib.LlamaGetMemory(e.context) }

// Shares says whether Share makes anything faster.
func (e *Engine) Shares() bool { return e.shares }

// Share sets, until the next call, which sequences hold the same tokens at their beginning. group has for each
// sequence the first one of its prefix group, or -1 where it is in none; length has, at the place of such a first one, how
// many tokens that are. It does nothing where the engine does not share.
func (e *Engine) Share(group, length []int32) {
	if e.shares {
		e.threads.Share(group, length)
	}
}

// CancelWith makes decodes end with ctx. The returned function undoes it and waits until that is certain.
func (e *Engine) CancelWith(ctx context.Context) (undo func()) {
	called := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(called)
		e.interrupt.set(true)
	})
	return func() {
		if !stop() {
			<-called
		}
		e.interrupt.set(false)
	}
}

// partialOnly is LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY: what can be cut back is left out.
const partialOnly = 1

// State appends what Trim cannot cut back of a sequence to buf: the state of recurrent layers, or what layers with a sliding
// window keep.
func (e *Engine) State(buf []byte, sequence int32) []byte {
	size := e.lib.LlamaStateSeqGetSizeExt(e.context, sequence, partialOnly)
	at := len(buf)
	buf = slices.Grow(buf, int(size))[:at+int(size)]
	n := e.lib.LlamaStateSeqGetDataExt(e.context, unsafe.SliceData(buf[at:]), size, sequence, partialOnly)
	return buf[:at+int(n)]
}

// SetState gives a sequence such a state. The caller cuts what other layers hold back to where the state was taken. It returns
// false where the state does not fit; the sequence then has none.
func (e *Engine) SetState(sequence int32, state []byte) bool {
	size := uint(len(state))
	n := e.lib.LlamaStateSeqSetDataExt(e.context, unsafe.SliceData(state), size, sequence, partialOnly)
	return n == size && size > 0
}

// An interrupt ends decodes of an engine while it is set. C reads it: it lies in C's memory.
type interrupt struct{ cancelled *int32 }

func (i *interrupt) set(on bool) {
	value := int32(0)
	if on {
		value = 1
	}
	atomic.StoreInt32(i.cancelled, value)
}
