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
	Inputs, Queries            []float32 // sequences × tokens × groups × width
	Ours                       bool      // computed by package kernels
}

func (s Scan) forC(pins *runtime.Pinner) operation {
	c := C.proctor_scan{
		width: C.int64_t(s.Width), rows: C.int64_t(s.Rows), heads: C.int64_t(s.Heads), groups: C.int64_t(s.Groups),
		tokens: C.int64_t(s.Tokens), sequences: C.int64_t(s.Sequences), one_decay: C.bool(s.OneDecay),
		states: floats(pins, s.States), values: floats(pins, s.Values), steps: floats(pins, s.Steps),
		decays: floats(pins, s.Decays), inputs: floats(pins, s.Inputs), asked: floats(pins, s.Queries),
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
