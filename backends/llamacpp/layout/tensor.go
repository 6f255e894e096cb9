package layout

import (
	"bytes"
	"fmt"
	"unsafe"
)

// TensorFields are those of ggml_tensor that no function of ggml tells.
type TensorFields struct {
	Sizes, Strides Offset // four numbers of 64 bits each
	Sources        Offset // pointers to the tensors that it is computed from
}

// A Tensor is a ggml_tensor whose fields are known, beside where it lies.
type Tensor struct {
	At             unsafe.Pointer
	Sizes, Strides [4]int64
	Sources        []unsafe.Pointer
}

// FindTensorFields finds the fields by tensors that were made to have them: of each size bytes are looked at, and each field must be
// found in all of them, at one place alone.
func FindTensorFields(size int, made []Tensor) (f TensorFields, err error) {
	for _, field := range []struct {
		name string
		at   *Offset
		of   func(Tensor) []byte
	}{
		{"sizes", &f.Sizes, func(t Tensor) []byte { return bytesOf(t.Sizes[:]) }},
		{"strides", &f.Strides, func(t Tensor) []byte { return bytesOf(t.Strides[:]) }},
		{"sources", &f.Sources, func(t Tensor) []byte { return bytesOf(t.Sources) }},
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
		*field.at = Offset(places[0])
	}
	return f, nil
}

// allHave says whether each tensor has its value of a field at an offset.
func allHave(made []Tensor, at, size int, of func(Tensor) []byte) bool {
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
