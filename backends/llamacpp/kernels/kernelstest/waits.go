package kernelstest

// #include "waits.h"
import "C"

// Sharing is what threads do in an operation: how often each waits for all others, and how many parts they take, one after the other;
// none where each has a share of its own.
type Sharing struct{ Waits, Parts int }

// ProductSharing says how threads share the product of a matrix of rows × width with columns.
func ProductSharing(weights Type, width, rows, columns, threads int) Sharing {
	s := C.proctor_product_sharing(C.enum_ggml_type(weights), C.int64_t(width), C.int64_t(rows), C.int64_t(columns), C.int(threads))
	return Sharing{int(s.waits), int(s.parts)}
}

// Sharing is what threads do that compute this attention, of a cache that nothing is known of.
func (a Attention) Sharing(threads int) Sharing {
	s := C.proctor_attention_sharing(C.proctor_attention{
		_type: C.enum_ggml_type(a.Type), width: C.int64_t(a.Width), height: C.int64_t(a.Height), heads: C.int64_t(a.Heads),
		shared: C.int64_t(a.Shared), tokens: C.int64_t(a.Tokens), cells: C.int64_t(a.Cells), streams: C.int64_t(a.Streams),
	}, C.int(threads))
	return Sharing{int(s.waits), int(s.parts)}
}
