//go:build !cgo

package builtin

import "unsafe"

// Symbol knows no name.
func Symbol(string) uintptr { return 0 }

// Quantize quantises nothing.
func Quantize(_, _ string, _ int32, _ int, _ bool, _ map[string][]float32, _ func(text string) bool) bool {
	return false
}

// Imatrix collects nothing: no model is computed with what is compiled in.
type Imatrix struct{}

// NewImatrix makes an empty one.
func NewImatrix() *Imatrix { return &Imatrix{} }

// Callback is none.
func (*Imatrix) Callback() (function, data unsafe.Pointer) { return nil, nil }

// Rows are none.
func (*Imatrix) Rows() int64 { return 0 }

// Write writes nothing.
func (*Imatrix) Write(_, _ string, _, _ uint32) bool { return false }

// Close has nothing to free.
func (*Imatrix) Close() {}
