//go:build cgo

package llama

// #include <stdlib.h>
// #include "interrupt.h"
import "C"

import (
	"sync/atomic"
	"unsafe"
)

func newInterrupt() *interrupt {
	return &interrupt{(*int32)(C.calloc(1, C.sizeof_int32_t))}
}

func (i *interrupt) free() { C.free(unsafe.Pointer(i.cancelled)) }

// setIn has a context that is made with p ask whether it is set.
func (i *interrupt) setIn(p *params, fields contextFields) {
	p.SetPointer(fields.Abort, C.proctor_interrupted)
	p.SetPointer(fields.AbortData, unsafe.Pointer(i.cancelled))
}

// Operations is how many operations of batches all engines of this process have computed on the CPU. One takes seconds where a batch
// takes hours.
func Operations() int64 { return atomic.LoadInt64((*int64)(&C.proctor_operations)) }
