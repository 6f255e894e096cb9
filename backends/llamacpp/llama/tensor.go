package llama

import (
	"bytes"
	"errors"
	"fmt"
	"unsafe"
)

// tensorFields finds where the library has the fields of a tensor: those of tensors that are made for it, and that the library's own
// functions say something of as well.
func (l *Library) tensorFields() (tensorFields, error) {
	if l.GgmlInit == nil || l.GgmlFree == nil || l.GgmlNewTensor == nil || l.GgmlMulMat == nil || l.GgmlMulMatId == nil ||
		l.GgmlTensorOverhead == nil || l.GgmlOpDesc == nil || l.GgmlGetName == nil || l.GgmlElementSize == nil ||
		l.GgmlNelements == nil || l.GgmlNbytes == nil || l.GgmlBackendTensorGet == nil {
		return tensorFields{}, errors.New("it lacks functions of ggml that describe tensors")
	}
	const tensors = 16 // room for more than are made
	size := l.GgmlTensorOverhead()
	memory := l.GgmlInit(initParams{size: tensors * size, bare: true})
	if memory == nil {
		return tensorFields{}, errors.New("ggml gives no memory for tensors")
	}
	defer l.GgmlFree(memory)
	const float, integer = 0, 26 // of ggml_type
	made := func(kind int32, sizes ...int64) tensorAt {
		at := l.GgmlNewTensor(memory, kind, int32(len(sizes)), &sizes[0])
		return expected(at, sizes)
	}
	weights, x := made(float, 37, 5, 3, 2), made(float, 37, 11, 6, 4)
	experts, tokens, chosen := made(float, 37, 7, 19), made(float, 37, 13, 23), made(integer, 13, 23)
	one := expected(l.GgmlMulMat(memory, weights.At, x.At), []int64{5, 11, 6, 4}, weights.At, x.At, nil)
	other := expected(l.GgmlMulMatId(memory, experts.At, tokens.At, chosen.At), []int64{7, 13, 23}, experts.At, tokens.At, chosen.At, nil)
	if is, of := goString(l.GgmlOpDesc(one.At)), goString(l.GgmlOpDesc(other.At)); is != product || of != mixture {
		return tensorFields{}, fmt.Errorf("its products are called %q and %q", is, of)
	}
	all := []tensorAt{weights, x, experts, tokens, chosen, one, other}
	for _, t := range all {
		elements := t.Sizes[0] * t.Sizes[1] * t.Sizes[2] * t.Sizes[3]
		if l.GgmlNelements(t.At) != elements || int64(l.GgmlNbytes(t.At)) != 4*elements || l.GgmlElementSize(t.At) != 4 {
			return tensorFields{}, fmt.Errorf("a tensor of %d elements has %d", elements, l.GgmlNelements(t.At))
		}
	}
	return findTensorFields(int(size), all)
}

// expected returns the fields of a tensor of 4-byte elements, row by row, with these sizes and sources.
func expected(at unsafe.Pointer, sizes []int64, sources ...unsafe.Pointer) tensorAt {
	t := tensorAt{At: at, Sources: sources}
	stride := int64(4)
	for i := range t.Sizes {
		t.Sizes[i] = 1
		if i < len(sizes) {
			t.Sizes[i] = sizes[i]
		}
		t.Strides[i] = stride
		stride *= t.Sizes[i]
	}
	return t
}

// tensorFields are those of ggml_tensor that no function of ggml returns.
type tensorFields struct {
	Sizes, Strides offset // four numbers of 64 bits each
	Sources        offset // pointers to the tensors that it is computed from
}

// A tensorAt is a ggml_tensor whose fields are known, beside where it lies.
type tensorAt struct {
	At             unsafe.Pointer
	Sizes, Strides [4]int64
	Sources        []unsafe.Pointer
}

// findTensorFields finds the fields by tensors that were made to have them: of each size bytes are looked at, and each field must be
// found in all of them, at one place alone.
func findTensorFields(size int, made []tensorAt) (f tensorFields, err error) {
	for _, field := range []struct {
		name string
		at   *offset
		of   func(tensorAt) []byte
	}{
		{"sizes", &f.Sizes, func(t tensorAt) []byte { return bytesOf(t.Sizes[:]) }},
		{"strides", &f.Strides, func(t tensorAt) []byte { return bytesOf(t.Strides[:]) }},
		{"sources", &f.Sources, func(t tensorAt) []byte { return bytesOf(t.Sources) }},
	} {
		var places []int
		for at := 0; at < size; at += 8 {
			if here := (at != 0) && allHave(made, at, size, field.of); here {
				places = append(places, at)
			}
		}
		if len(places) != 1 {
			return f, fmt.Errorf("a tensor's %s lie at %d places: %v", field.name, len(places), places)
		}
		*field.at = offset(places[0])
	}
	return f, nil
}

// allHave says whether each tensor has its value of a field at an offset.
func allHave(made []tensorAt, at, size int, of func(tensorAt) []byte) bool {
	for _, t := range made {
		memory, want := unsafe.Slice((*byte)(t.At), size), of(t)
		if at+len(want) > size || !bytes.Equal(memory[at:at+len(want)], want) {
			return false
		}
	}
	return true
}

// bytesOf are numbers or pointers as they lie in memory.
func bytesOf[T int64 | unsafe.Pointer](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*8)
}
