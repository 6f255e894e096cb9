package llama

// #include "imatrix.h"
import "C"

import (
	"errors"
	"fmt"
)

// Imatrix is an importance matrix in the making: for each column of each layer's matrices, and of each expert's, the sum of the
// squares of what it was multiplied with. Engines of a model that collects into it add to it.
type Imatrix struct{ c *C.proctor_imatrix }

// NewImatrix makes an empty one.
func NewImatrix() *Imatrix { return &Imatrix{C.proctor_imatrix_new()} }

// Collect has engines that are made from now on add to i what they compute. Nil ends that.
func (m *Model) Collect(i *Imatrix) { m.collected = i }

// chunk is how many tokens llama.cpp's tool counts as one.
const chunk = 512

// Write writes it as llama.cpp's llama-imatrix does; dataset says what it was collected from. An empty one is refused.
func (i *Imatrix) Write(path, dataset string) error {
	rows := int64(C.proctor_imatrix_rows(i.c))
	if rows == 0 || C.proctor_imatrix_tensors(i.c) == 0 {
		return errors.New("nothing was computed that an importance matrix could be made of")
	}
	name, free := cString(path)
	defer free()
	from, free := cString(dataset)
	defer free()
	if !C.proctor_imatrix_write(i.c, name, from, C.uint32_t((rows+chunk-1)/chunk), chunk) {
		return fmt.Errorf("%s: cannot be written", path)
	}
	return nil
}

// Close frees it; the engines that add to it are closed before. It is safe to call twice.
func (i *Imatrix) Close() {
	if i.c != nil {
		C.proctor_imatrix_free(i.c)
		i.c = nil
	}
}
