package kernelstest

// #include "operations.h"
// #include "scalar.h"
import "C"

import (
	"errors"
	"runtime"
)

// Equations are triangular systems: each row has one unknown more than the row above.
type Equations struct {
	Rows, Columns, Systems int
	Triangles              []float32 // systems × rows × rows
	Right                  []float32 // systems × rows × columns
	Ours                   bool      // computed by package kernels
}

// Compute solves the equations the given number of times and returns the solutions, systems × rows × columns.
func (e Equations) Compute(threads, times int) ([]float32, error) {
	c, result, free := e.operands()
	defer free()
	done := onThreads(threads, e.Ours, func(pool *C.struct_ggml_threadpool) bool {
		return bool(C.proctor_solve(c, pool, C.int(threads), C.int(times), (*C.float)(&result[0])))
	})
	if !done {
		return nil, errors.New("kernelstest: ggml cannot solve the equations")
	}
	return result, nil
}

// Scalar is what package kernels makes of the equations, computed one number after the other.
func (e Equations) Scalar() []float32 {
	c, result, free := e.operands()
	defer free()
	C.proctor_scalar_solve(c, (*C.float)(&result[0]))
	return result
}

func (e Equations) operands() (c C.proctor_equations, result []float32, free func()) {
	var pins runtime.Pinner
	c = C.proctor_equations{
		rows: C.int64_t(e.Rows), columns: C.int64_t(e.Columns), systems: C.int64_t(e.Systems),
		triangles: pinned(&pins, e.Triangles), right: pinned(&pins, e.Right),
	}
	return c, make([]float32, len(e.Right)), pins.Unpin
}
