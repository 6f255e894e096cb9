package kernelstest

// #include "operations.h"
// #include "scalar.h"
import "C"

import (
	"errors"
	"runtime"
)

// Scan is that of a state-space model.
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

// Compute computes the scan the given number of times. It returns the outputs, one for each value, and then the states.
func (s Scan) Compute(threads, times int) ([]float32, error) {
	c, result, free := s.operands()
	defer free()
	done := onThreads(threads, s.Ours, func(pool *C.struct_ggml_threadpool) bool {
		return bool(C.proctor_compute_scan(c, pool, C.int(threads), C.int(times), (*C.float)(&result[0])))
	})
	if !done {
		return nil, errors.New("kernelstest: ggml cannot compute the scan")
	}
	return result, nil
}

// Scalar is what package kernels makes of the scan, computed one number after the other.
func (s Scan) Scalar() []float32 {
	c, result, free := s.operands()
	defer free()
	C.proctor_scalar_scan(c, (*C.float)(&result[0]))
	return result
}

func (s Scan) operands() (c C.proctor_scan, result []float32, free func()) {
	var pins runtime.Pinner
	c = C.proctor_scan{
		width: C.int64_t(s.Width), rows: C.int64_t(s.Rows), heads: C.int64_t(s.Heads), groups: C.int64_t(s.Groups),
		tokens: C.int64_t(s.Tokens), sequences: C.int64_t(s.Sequences), one_decay: C.bool(s.OneDecay),
		states: pinned(&pins, s.States), values: pinned(&pins, s.Values), steps: pinned(&pins, s.Steps),
		decays: pinned(&pins, s.Decays), inputs: pinned(&pins, s.Inputs), asked: pinned(&pins, s.Asked),
	}
	return c, make([]float32, len(s.Values)+len(s.States)), pins.Unpin
}

// Convolution is a convolution over the last few tokens of each channel.
type Convolution struct {
	Each, Channels, Tokens, Sequences int       // Each: weights of a channel
	From                              []float32 // sequences × channels × (tokens + Each - 1)
	Weights                           []float32 // channels × Each
	Ours                              bool      // computed by package kernels
}

// Compute computes the convolution the given number of times and returns it, sequences × tokens × channels.
func (v Convolution) Compute(threads, times int) ([]float32, error) {
	c, result, free := v.operands()
	defer free()
	done := onThreads(threads, v.Ours, func(pool *C.struct_ggml_threadpool) bool {
		return bool(C.proctor_convolve(c, pool, C.int(threads), C.int(times), (*C.float)(&result[0])))
	})
	if !done {
		return nil, errors.New("kernelstest: ggml cannot compute the convolution")
	}
	return result, nil
}

// Scalar is what package kernels makes of the convolution, computed one number after the other.
func (v Convolution) Scalar() []float32 {
	c, result, free := v.operands()
	defer free()
	C.proctor_scalar_convolve(c, (*C.float)(&result[0]))
	return result
}

func (v Convolution) operands() (c C.proctor_convolution, result []float32, free func()) {
	var pins runtime.Pinner
	c = C.proctor_convolution{
		weights_each: C.int64_t(v.Each), channels: C.int64_t(v.Channels), tokens: C.int64_t(v.Tokens),
		sequences: C.int64_t(v.Sequences), from: pinned(&pins, v.From), weights: pinned(&pins, v.Weights),
	}
	return c, make([]float32, v.Sequences*v.Tokens*v.Channels), pins.Unpin
}
