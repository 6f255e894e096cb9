//go:build cgo

package builtin

// #include "quantize.h"
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// Quantize calls llama_model_quantize with a llama_ftype, and says whether it succeeded; the log says why it did not. importance has
// for each column of a tensor how much its weights matter; nil: it is left out. line gets the log's line that announces a tensor,
// before it is quantised; when it returns false, the work ends there.
func Quantize(
	from, to string, kind int32, threads int, requantise bool, importance map[string][]float32, line func(text string) bool,
) bool {
	source, free := cString(from)
	defer free()
	target, free := cString(to)
	defer free()
	values, free := cImportance(importance)
	defer free()
	progress := cgo.NewHandle(line)
	defer progress.Delete()
	return C.proctor_quantize(source, target, C.enum_llama_ftype(kind), C.int32_t(threads), C.bool(requantise), values,
		C.uintptr_t(progress)) == 0
}

// cImportance is what llama.cpp takes, and frees it.
func cImportance(values map[string][]float32) (*C.proctor_importance, func()) {
	if values == nil {
		return nil, func() {}
	}
	all := C.proctor_importance_new()
	for tensor, columns := range values {
		name, free := cString(tensor)
		C.proctor_importance_add(all, name, (*C.float)(unsafe.SliceData(columns)), C.size_t(len(columns)))
		free()
	}
	return all, func() { C.proctor_importance_free(all) }
}

//export proctorQuantising
func proctorQuantising(text *C.char, progress C.uintptr_t) C.bool {
	return C.bool(cgo.Handle(progress).Value().(func(string) bool)(C.GoString(text)))
}
