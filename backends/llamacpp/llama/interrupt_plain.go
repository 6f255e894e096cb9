//go:build !cgo

package llama

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"
)

// pinned holds interrupts where they are.
var pinned sync.Map

func newInterrupt() *interrupt {
	i, pin := &interrupt{new(int32)}, new(runtime.Pinner)
	pin.Pin(i.cancelled)
	pinned.Store(i, pin)
	return i
}

func (i *interrupt) free() {
	if pin, found := pinned.LoadAndDelete(i); found {
		pin.(*runtime.Pinner).Unpin()
	}
}

var operations atomic.Int64

// interrupted is a ggml_abort_callback.
var interrupted = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(cancelled *int32) uintptr { // of this size as Windows needs it
		operations.Add(1)
		return uintptr(atomic.LoadInt32(cancelled))
	})
})

// setIn has a context that is made with p ask whether it is set.
func (i *interrupt) setIn(p *params, fields contextFields) {
	p.SetAddress(fields.Abort, interrupted())
	p.SetPointer(fields.AbortData, unsafe.Pointer(i.cancelled))
}

// Operations is how many operations of batches all engines of this process have computed on the CPU. One takes seconds where a batch
// takes hours.
func Operations() int64 { return operations.Load() }
