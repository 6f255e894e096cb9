package llama

import (
	"errors"
	"fmt"

	"proctor/backends/llamacpp/builtin"
)

// Imatrix is an importance matrix in the making. Engines of a model that collects into it add to it.
type Imatrix struct{ *builtin.Imatrix }

// NewImatrix makes an empty one.
func NewImatrix() *Imatrix { return &Imatrix{builtin.NewImatrix()} }

// Collect has engines that are made from now on add to i what they compute. Nil ends that.
func (m *Model) Collect(i *Imatrix) { m.collected = i }

// chunk is how many tokens llama.cpp's tool counts as one.
const chunk = 512

// Write writes it as llama.cpp's llama-imatrix does; dataset says what it was collected from. An empty one is refused.
func (i *Imatrix) Write(path, dataset string) error {
	rows := i.Rows()
	if rows == 0 {
		return errors.New("nothing was computed that an importance matrix could be made of")
	}
	if !i.Imatrix.Write(path, dataset, uint32((rows+chunk-1)/chunk), chunk) {
		return fmt.Errorf("%s: cannot be written", path)
	}
	return nil
}
