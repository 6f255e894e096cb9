package llama

import (
	"slices"
	"unsafe"
)

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

// SetState gives a sequence such a state. What other layers hold stays, and is to be cut back to where the state was
// taken. It returns false where the state does not fit, and the sequence then has none.
func (e *Engine) SetState(sequence int32, state []byte) bool {
	size := uint(len(state))
	n := e.lib.LlamaStateSeqSetDataExt(e.context, unsafe.SliceData(state), size, sequence, partialOnly)
	return n == size && size > 0
}
