package llama

// #include "engine.h"
import "C"

import (
	"slices"
	"unsafe"
)

// State appends what Trim cannot cut back of a sequence to buf: the state of recurrent layers, or what layers with a sliding
// window keep.
func (e *Engine) State(buf []byte, sequence int32) []byte {
	size := C.llama_state_seq_get_size_ext(e.c.context, C.llama_seq_id(sequence), C.LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY)
	at := len(buf)
	buf = slices.Grow(buf, int(size))[:at+int(size)]
	data := (*C.uint8_t)(unsafe.SliceData(buf[at:]))
	n := C.llama_state_seq_get_data_ext(e.c.context, data, size, C.llama_seq_id(sequence), C.LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY)
	return buf[:at+int(n)]
}

// SetState gives a sequence such a state. What other layers hold stays, and is to be cut back to where the state was
// taken. It returns false where the state does not fit, and the sequence then has none.
func (e *Engine) SetState(sequence int32, state []byte) bool {
	data, size := (*C.uint8_t)(unsafe.SliceData(state)), C.size_t(len(state))
	n := C.llama_state_seq_set_data_ext(e.c.context, data, size, C.llama_seq_id(sequence), C.LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY)
	return n == size && size > 0
}
