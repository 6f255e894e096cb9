package llama

import (
	"errors"
	"fmt"
	"unsafe"

	"proctor/backends/llamacpp/layout"
)

// tensorFields finds where the library has the fields of a tensor: those of tensors that are made for it, and that the library's own
// functions say something of as well.
func (l *Library) tensorFields() (layout.TensorFields, error) {
	if l.GgmlInit == nil || l.GgmlFree == nil || l.GgmlNewTensor == nil || l.GgmlMulMat == nil || l.GgmlMulMatId == nil ||
		l.GgmlTensorOverhead == nil || l.GgmlOpDesc == nil || l.GgmlGetName == nil || l.GgmlElementSize == nil ||
		l.GgmlNelements == nil || l.GgmlNbytes == nil || l.GgmlBackendTensorGet == nil {
		return layout.TensorFields{}, errors.New("it lacks functions of ggml that tell of tensors")
	}
	const tensors = 16 // room for more than are made
	size := l.GgmlTensorOverhead()
	memory := l.GgmlInit(initParams{size: tensors * size, bare: true})
	if memory == nil {
		return layout.TensorFields{}, errors.New("ggml gives no memory for tensors")
	}
	defer l.GgmlFree(memory)
	const float, integer = 0, 26 // of ggml_type
	made := func(kind int32, sizes ...int64) layout.Tensor {
		at := l.GgmlNewTensor(memory, kind, int32(len(sizes)), &sizes[0])
		return expected(at, sizes)
	}
	weights, x := made(float, 37, 5, 3, 2), made(float, 37, 11, 6, 4)
	experts, tokens, chosen := made(float, 37, 7, 19), made(float, 37, 13, 23), made(integer, 13, 23)
	one := expected(l.GgmlMulMat(memory, weights.At, x.At), []int64{5, 11, 6, 4}, weights.At, x.At, nil)
	other := expected(l.GgmlMulMatId(memory, experts.At, tokens.At, chosen.At), []int64{7, 13, 23}, experts.At, tokens.At, chosen.At, nil)
	if is, of := goString(l.GgmlOpDesc(one.At)), goString(l.GgmlOpDesc(other.At)); is != product || of != mixture {
		return layout.TensorFields{}, fmt.Errorf("its products are called %q and %q", is, of)
	}
	all := []layout.Tensor{weights, x, experts, tokens, chosen, one, other}
	for _, t := range all {
		elements := t.Sizes[0] * t.Sizes[1] * t.Sizes[2] * t.Sizes[3]
		if l.GgmlNelements(t.At) != elements || int64(l.GgmlNbytes(t.At)) != 4*elements || l.GgmlElementSize(t.At) != 4 {
			return layout.TensorFields{}, fmt.Errorf("a tensor of %d elements has %d", elements, l.GgmlNelements(t.At))
		}
	}
	return layout.FindTensorFields(int(size), all)
}

// expected is what a tensor has of elements of 4 bytes, row by row.
func expected(at unsafe.Pointer, sizes []int64, sources ...unsafe.Pointer) layout.Tensor {
	t := layout.Tensor{At: at, Sources: sources}
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
