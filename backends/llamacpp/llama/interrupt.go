package llama

import "sync/atomic"

// An interrupt ends decodes of an engine while it is set. C reads it: it lies in C's memory.
type interrupt struct{ cancelled *int32 }

func (i *interrupt) set(on bool) {
	value := int32(0)
	if on {
		value = 1
	}
	atomic.StoreInt32(i.cancelled, value)
}
