package kernelstest

// #include "operations.h"
// #include "scalar.h"
import "C"

import (
	"fmt"
	"runtime"

	"proctor/backends/llamacpp/kernels"
)

// ByRow is an operation of each row of values: a function of each, or one of the whole row. The result is rows × width.
type ByRow struct {
	Name        string // in ggml: silu, sigmoid, tanh, exp, softplus, swiglu, swiglu_oai, soft_max or norm
	Width       int
	Rows, Gates []float32 // rows × width; of swiglu and swiglu_oai both
	Ours        bool      // computed by package kernels
}

func (r ByRow) forC(pins *runtime.Pinner) operation {
	c := C.proctor_by_row{
		name: text(pins, r.Name), width: C.int64_t(r.Width), rows: C.int64_t(len(r.Rows) / r.Width),
		from: floats(pins, r.Rows), gates: floats(pins, r.Gates),
	}
	return operation{
		name: fmt.Sprintf("%s of rows of %d values", r.Name, r.Width), size: len(r.Rows), ours: r.Ours,
		compute: func(on run, to *C.float) C.bool {
			return C.proctor_compute_by_row(c, on.pool, on.threads, on.times, to)
		},
		scalar: func(to *C.float) { C.proctor_scalar_by_row(c, to) },
	}
}

// Norms are root mean square norms of rows. The result is rows × width.
type Norms struct {
	Width   int
	Epsilon float32
	Rows    []float32 // rows × width
	Ours    bool      // computed by package kernels
}

func (n Norms) forC(pins *runtime.Pinner) operation {
	from, width, rows := floats(pins, n.Rows), C.int64_t(n.Width), C.int64_t(len(n.Rows)/n.Width)
	return operation{
		name: fmt.Sprintf("the norms of rows of %d values", n.Width), size: len(n.Rows), ours: n.Ours,
		compute: func(on run, to *C.float) C.bool {
			return C.proctor_normalise(from, width, rows, C.float(n.Epsilon), on.pool, on.threads, on.times, to)
		},
		scalar: func(to *C.float) { C.proctor_scalar_normalise(from, width, rows, C.float(n.Epsilon), to) },
	}
}

// Positions are rotary positions of tokens × heads × width values. They have no [Scalar].
type Positions struct {
	Halves               bool   // a value's other one is half of them away, not beside it
	Sections             [4]int // the pairs that turn by each of a token's four positions, as models of images have them; 0: it has one
	InTurn               bool   // these pairs take turns
	Width, Heads, Turned int
	Scale, Extrapolation float32
	Factors              []float32 // of turned / 2 pairs; nil: none
	Tokens               []int32   // the position of each, or all first ones of four, and so on
	Values               []float32
	Ours                 bool // computed by package kernels
}

func (p Positions) forC(pins *runtime.Pinner) operation {
	c := C.proctor_positions{
		mode: C.GGML_ROPE_TYPE_NORMAL, width: C.int64_t(p.Width), heads: C.int64_t(p.Heads),
		tokens: C.int64_t(len(p.Values) / p.Width / p.Heads),
		turned: C.int(p.Turned), scale: C.float(p.Scale), extrapolation: C.float(p.Extrapolation),
		positions: integers(pins, p.Tokens), factors: floats(pins, p.Factors), from: floats(pins, p.Values),
	}
	for i, pairs := range p.Sections {
		c.sections[i] = C.int(pairs)
	}
	switch {
	case p.InTurn:
		c.mode = C.GGML_ROPE_TYPE_IMROPE
	case p.Sections != [4]int{}:
		c.mode = C.GGML_ROPE_TYPE_MROPE
	case p.Halves:
		c.mode = C.GGML_ROPE_TYPE_NEOX
	}
	return operation{
		name: fmt.Sprintf("rotary positions of %d tokens", len(p.Tokens)), size: len(p.Values), ours: p.Ours,
		compute: func(on run, to *C.float) C.bool { return C.proctor_turn(c, on.pool, on.threads, on.times, to) },
	}
}

// CacheRows are rows that are written to a cache, which is all zeros. The result is what it then holds, cells × width.
// They have no [Scalar].
type CacheRows struct {
	Type    Type
	Name    string // of the cache's tensor
	Width   int
	Cells   int
	Rows    []float32 // rows × width
	Places  []int64   // the cells that they go to
	Rotated kernels.Rotation
	Ours    bool // computed by package kernels
}

func (r CacheRows) forC(pins *runtime.Pinner) operation {
	c := C.proctor_cache_rows{
		_type: C.enum_ggml_type(r.Type), name: text(pins, r.Name), width: C.int64_t(r.Width), cells: C.int64_t(r.Cells),
		rows: C.int64_t(len(r.Places)), from: floats(pins, r.Rows), places: (*C.int64_t)(pinned(pins, r.Places)),
	}
	return operation{
		name: "rows of a cache", size: r.Width * r.Cells, ours: r.Ours, rotated: r.Rotated,
		compute: func(on run, to *C.float) C.bool {
			return C.proctor_set_cache_rows(c, on.pool, on.threads, on.times, to)
		},
	}
}
