package llama

// #include "quantize.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/cgo"
	"strings"
	"unsafe"
)

// Quantization is what [Quantize] is told.
type Quantization struct {
	From, To   string // files; To is written over
	Type       string // one of FileTypes
	Threads    int    // at least 1
	Requantise bool   // take tensors that are quantised already

	// Importance has for each column of a matrix how much its weights matter: the mean square of what it is multiplied with. By name of
	// the tensor; a mixture's experts follow each other. Tensors that it lacks are quantised without.
	Importance map[string][]float32

	Progress func(tensor string) // is told of each tensor before it is written
}

// Quantize writes a copy of a model with its matrices stored as another type: llama_model_quantize. The end of ctx stops it before the
// next tensor. What it has written when it fails stays there.
func Quantize(ctx context.Context, q Quantization) error {
	log := listen(q.From, nil)
	defer log.Close()
	from, free := cString(q.From)
	defer free()
	to, free := cString(q.To)
	defer free()
	importance, free := cImportance(q.Importance)
	defer free()
	progress := cgo.NewHandle(func(tensor string) bool {
		if q.Progress != nil {
			q.Progress(tensor)
		}
		return ctx.Err() == nil
	})
	defer progress.Delete()
	result := C.proctor_quantize(from, to, fileTypes[q.Type], C.int32_t(q.Threads), C.bool(q.Requantise), importance,
		C.uintptr_t(progress))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case result != 0:
		return errors.New(log.reason("the engine gave no reason"))
	}
	return nil
}

// cImportance returns values for C and the function that frees them.
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
	goOn := cgo.Handle(progress).Value().(func(string) bool)
	var number, of int
	var tensor string
	if n, _ := fmt.Sscanf(strings.ReplaceAll(C.GoString(text), "[", " "), "%d/%d] %s", &number, &of, &tensor); n != 3 {
		return true
	}
	return C.bool(goOn(tensor))
}

// fileTypes is llama.cpp's enum llama_ftype.
var fileTypes = map[string]C.enum_llama_ftype{
	"F32": C.LLAMA_FTYPE_ALL_F32, "F16": C.LLAMA_FTYPE_MOSTLY_F16, "BF16": C.LLAMA_FTYPE_MOSTLY_BF16,
	"Q8_0": C.LLAMA_FTYPE_MOSTLY_Q8_0, "Q6_K": C.LLAMA_FTYPE_MOSTLY_Q6_K,
	"Q5_K_M": C.LLAMA_FTYPE_MOSTLY_Q5_K_M, "Q5_K_S": C.LLAMA_FTYPE_MOSTLY_Q5_K_S,
	"Q5_1": C.LLAMA_FTYPE_MOSTLY_Q5_1, "Q5_0": C.LLAMA_FTYPE_MOSTLY_Q5_0,
	"Q4_K_M": C.LLAMA_FTYPE_MOSTLY_Q4_K_M, "Q4_K_S": C.LLAMA_FTYPE_MOSTLY_Q4_K_S,
	"Q4_1": C.LLAMA_FTYPE_MOSTLY_Q4_1, "Q4_0": C.LLAMA_FTYPE_MOSTLY_Q4_0,
	"IQ4_NL": C.LLAMA_FTYPE_MOSTLY_IQ4_NL, "IQ4_XS": C.LLAMA_FTYPE_MOSTLY_IQ4_XS, "MXFP4_MOE": C.LLAMA_FTYPE_MOSTLY_MXFP4_MOE,
	"Q3_K_L": C.LLAMA_FTYPE_MOSTLY_Q3_K_L, "Q3_K_M": C.LLAMA_FTYPE_MOSTLY_Q3_K_M, "Q3_K_S": C.LLAMA_FTYPE_MOSTLY_Q3_K_S,
	"IQ3_M": C.LLAMA_FTYPE_MOSTLY_IQ3_M, "IQ3_S": C.LLAMA_FTYPE_MOSTLY_IQ3_S, "IQ3_XS": C.LLAMA_FTYPE_MOSTLY_IQ3_XS,
	"IQ3_XXS": C.LLAMA_FTYPE_MOSTLY_IQ3_XXS, "Q2_K": C.LLAMA_FTYPE_MOSTLY_Q2_K, "Q2_K_S": C.LLAMA_FTYPE_MOSTLY_Q2_K_S,
	"IQ2_M": C.LLAMA_FTYPE_MOSTLY_IQ2_M, "IQ2_S": C.LLAMA_FTYPE_MOSTLY_IQ2_S, "IQ2_XS": C.LLAMA_FTYPE_MOSTLY_IQ2_XS,
	"IQ2_XXS": C.LLAMA_FTYPE_MOSTLY_IQ2_XXS, "IQ1_M": C.LLAMA_FTYPE_MOSTLY_IQ1_M, "IQ1_S": C.LLAMA_FTYPE_MOSTLY_IQ1_S,
	"TQ2_0": C.LLAMA_FTYPE_MOSTLY_TQ2_0, "TQ1_0": C.LLAMA_FTYPE_MOSTLY_TQ1_0,
}
