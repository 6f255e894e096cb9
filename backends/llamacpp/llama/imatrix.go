package llama

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Imatrix is an importance matrix that engines of a model that collects into it add to.
type Imatrix struct {
	matrix
	lib    *Library
	fields tensorFields
	number uintptr // for C

	activations, experts []byte // copies of what engines computed with
}

// Names of the operations that multiply with a matrix, and with those of chosen experts.
const (
	product = "MUL_MAT"
	mixture = "MUL_MAT_ID"
)

// NewImatrix makes an empty one. It is an error where the library does not tell what it computes with.
func (l *Library) NewImatrix() (*Imatrix, error) {
	fields, err := l.tensorFields()
	if err != nil {
		return nil, fmt.Errorf("%s collects no importance matrix: %w", l.version, err)
	}
	i := &Imatrix{lib: l, fields: fields}
	i.number = collecting.add(i)
	return i, nil
}

// Close forgets it; it is safe to call twice.
func (i *Imatrix) Close() { collecting.Delete(i.number) }

// Collect has engines that are made from now on add to i what they compute. Nil ends that.
func (m *Model) Collect(i *Imatrix) { m.collected = i }

// setIn sets the callback for what is computed in a context that is made with p.
func (i *Imatrix) setIn(p *params, fields contextFields) {
	p.SetAddress(fields.Evaluated, evaluatedCallback())
	p.SetAddress(fields.EvaluatedData, i.number)
}

// collecting are the matrices that engines add to.
var collecting numbered[*Imatrix]

// evaluatedCallback is a ggml_backend_sched_eval_callback. ggml calls it twice for an operation: before it, to ask whether to call it again
// afterwards, and afterwards, to ask whether to continue.
var evaluatedCallback = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(operation unsafe.Pointer, ask, number uintptr) uintptr {
		i, _ := collecting.find(number)
		before := byte(ask) != 0 // a bool
		name, is := i.multiplied(operation)
		if is && !before {
			i.add(operation, name)
		}
		if is || !before {
			return 1
		}
		return 0
	})
})

// multiplied is the name of the weights of a layer that an operation multiplies with, and whether it is such a one.
func (i *Imatrix) multiplied(operation unsafe.Pointer) (weights string, is bool) {
	if kind := goString(i.lib.GgmlOpDesc(operation)); kind != product && kind != mixture {
		return "", false
	}
	const float = 4 // bytes
	x := i.source(operation, 1)
	if i.lib.GgmlElementSize(x) != float || i.strides(x)[0] != float {
		return "", false
	}
	weights = plainName(goString(i.lib.GgmlGetName(i.source(operation, 0))))
	return weights, strings.HasPrefix(weights, "blk.")
}

// plainName is a tensor's name without what the scheduler of backends adds to copies: "CUDA0#blk.0.attn_q.weight#0".
func plainName(name string) string {
	if _, after, found := strings.Cut(name, "#"); found {
		name = after
	}
	name, _, _ = strings.Cut(name, "#")
	return name
}

// add adds what a product of a layer's weights has computed with; llama.cpp's llama-imatrix counts the same.
func (i *Imatrix) add(operation unsafe.Pointer, name string) {
	weights, x := i.source(operation, 0), i.source(operation, 1)
	w, size, stride := i.sizes(weights), i.sizes(x), i.strides(x)
	matrices, columns := w[2]*w[3], w[0]
	sums := i.tensor(name, int(matrices), int(columns))
	i.activations = i.read(i.activations, x)
	row := func(i1, i2, i3 int64) []float32 {
		begin := i1*stride[1] + i2*stride[2] + i3*stride[3]
		bytes := i.activations[begin : begin+4*columns]
		return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(bytes))), columns)
	}
	if goString(i.lib.GgmlOpDesc(operation)) == product {
		for i3 := range size[3] {
			for i2 := range size[2] {
				matrix := i3/(size[3]/w[3])*w[2] + i2/(size[2]/w[2])
				for i1 := range size[1] {
					sums.add(int(matrix), row(i1, i2, i3))
				}
			}
		}
		return
	}
	ids := i.source(operation, 2)
	chosen, apart := i.sizes(ids), i.strides(ids)
	i.experts = i.read(i.experts, ids)
	for token := range chosen[1] {
		for n := range chosen[0] {
			expert := int32(binary.NativeEndian.Uint32(i.experts[token*apart[1]+n*apart[0]:]))
			if expert >= 0 && int64(expert) < matrices {
				sums.add(int(expert), row(n%size[1], token, 0))
			}
		}
	}
}

// read copies a tensor's elements, wherever they are.
func (i *Imatrix) read(into []byte, tensor unsafe.Pointer) []byte {
	size := i.lib.GgmlNbytes(tensor)
	if uint(cap(into)) < size {
		into = make([]byte, size)
	}
	into = into[:size]
	i.lib.GgmlBackendTensorGet(tensor, unsafe.SliceData(into), 0, size)
	return into
}

func (i *Imatrix) sizes(tensor unsafe.Pointer) [4]int64 {
	return *(*[4]int64)(unsafe.Add(tensor, i.fields.Sizes))
}

func (i *Imatrix) strides(tensor unsafe.Pointer) [4]int64 {
	return *(*[4]int64)(unsafe.Add(tensor, i.fields.Strides))
}

func (i *Imatrix) source(tensor unsafe.Pointer, n int) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Add(tensor, int(i.fields.Sources)+n*int(unsafe.Sizeof(tensor))))
}
