package kernelstest

// #include "operations.h"
// #include "scalar.h"
import "C"

import "runtime"

// Scan is that of a state-space model. The result is the outputs, one for each value, and then the states.
type Scan struct {
	Width, Rows, Heads, Groups int // states of a row, rows of a head
	Tokens, Sequences          int // of each sequence
	OneDecay                   bool
	States                     []float32 // sequences × heads × rows × width
	Values                     []float32 // sequences × tokens × heads × rows
	Steps                      []float32 // sequences × tokens × heads
	Decays                     []float32 // heads, × width without OneDecay
	Inputs, Asked              []float32 // sequences × tokens × groups × width
	Ours                       bool      // computed by package kernels
}

func (s Scan) forC(pins *runtime.Pinner) operation {
	c := C.proctor_scan{
		width: C.int64_t(s.Width), rows: C.int64_t(s.Rows), heads: C.int64_t(s.Heads), groups: C.int64_t(s.Groups),
		tokens: C.int64_t(s.Tokens), sequences: C.int64_t(s.Sequences), one_decay: C.bool(s.OneDecay),
		states: floats(pins, s.States), values: floats(pins, s.Values), steps: floats(pins, s.Steps),
		decays: floats(pins, s.Decays), inputs: floats(pins, s.Inputs), asked: floats(pins, s.Asked),
	}
	return operation{
		name: "the scan", size: len(s.Values) + len(s.States), ours: s.Ours,
		compute: func(on run, to *C.float) C.bool { return C.proctor_compute_scan(c, on.pool, on.threads, on.times, to) },
		scalar:  func(to *C.float) { C.proctor_scalar_scan(c, to) },
	}
}

// Convolution is a convolution over the last few tokens of each channel. The result is sequences × tokens × channels.
type Convolution struct {
	Each, Channels, Tokens, Sequences int       // Each: weights of a channel
	From                              []float32 // sequences × channels × (tokens + Each - 1)
	Weights                           []float32 // channels × Each
	Ours                              bool      // computed by package kernels
}

func (v Convolution) forC(pins *runtime.Pinner) operation {
	c := C.proctor_convolution{
		weights_each: C.int64_t(v.Each), channels: C.int64_t(v.Channels), tokens: C.int64_t(v.Tokens),
		sequences: C.int64_t(v.Sequences), from: floats(pins, v.From), weights: floats(pins, v.Weights),
	}
	return operation{
		name: "the convolution", size: v.Sequences * v.Tokens * v.Channels, ours: v.Ours,
		compute: func(on run, to *C.float) C.bool { return C.proctor_convolve(c, on.pool, on.threads, on.times, to) },
		scalar:  func(to *C.float) { C.proctor_scalar_convolve(c, to) },
	}
}

// WKVKind is how states change.
type WKVKind C.enum_ggml_op

// Kinds of [WKV].
const (
	RWKV6                WKVKind = C.GGML_OP_RWKV_WKV6
	RWKV7                WKVKind = C.GGML_OP_RWKV_WKV7
	GatedLinearAttention WKVKind = C.GGML_OP_GATED_LINEAR_ATTN
)

func (k WKVKind) String() string { return C.GoString(C.ggml_op_name(C.enum_ggml_op(k))) }

// WKV are states of RWKV or of gated linear attention. The result is the outputs, sequences × tokens × heads × width, and then the
// states.
type WKV struct {
	Kind                            WKVKind
	Width, Heads, Tokens, Sequences int // tokens of each sequence
	Scale                           float32
	Sources                         [][]float32 // as ggml has them: sequences × tokens × heads × width; RWKV6's fourth heads × width
	States                          []float32   // sequences × heads × width × width
	Ours                            bool        // computed by package kernels
}

func (w WKV) forC(pins *runtime.Pinner) operation {
	c := C.proctor_wkv{
		kind: C.enum_ggml_op(w.Kind), width: C.int64_t(w.Width), heads: C.int64_t(w.Heads), tokens: C.int64_t(w.Tokens),
		sequences: C.int64_t(w.Sequences), scale: C.float(w.Scale), states: floats(pins, w.States),
	}
	for i, source := range w.Sources {
		c.sources[i] = floats(pins, source)
	}
	return operation{
		name: "the states", size: len(w.Sources[0]) + len(w.States), ours: w.Ours,
		compute: func(on run, to *C.float) C.bool { return C.proctor_compute_wkv(c, on.pool, on.threads, on.times, to) },
		scalar:  func(to *C.float) { C.proctor_scalar_wkv(c, to) },
	}
}

// Equations are triangular systems: each row has one unknown more than the row above. The result is systems × rows × columns.
type Equations struct {
	Rows, Columns, Systems int
	Triangles              []float32 // systems × rows × rows
	Right                  []float32 // systems × rows × columns
	Ours                   bool      // computed by package kernels
}

func (e Equations) forC(pins *runtime.Pinner) operation {
	c := C.proctor_equations{
		rows: C.int64_t(e.Rows), columns: C.int64_t(e.Columns), systems: C.int64_t(e.Systems),
		triangles: floats(pins, e.Triangles), right: floats(pins, e.Right),
	}
	return operation{
		name: "the equations", size: len(e.Right), ours: e.Ours,
		compute: func(on run, to *C.float) C.bool { return C.proctor_solve(c, on.pool, on.threads, on.times, to) },
		scalar:  func(to *C.float) { C.proctor_scalar_solve(c, to) },
	}
}
