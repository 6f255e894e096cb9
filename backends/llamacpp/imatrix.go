package llamacpp

import (
	"errors"
	"io"
	"os"

	"proctor/backends/llamacpp/llama"
)

// Collecting is a model that makes an importance matrix of all that it computes, prefixes that prompts share once. Of the last
// layer, which is computed only where a token follows that is wanted, it has completions alone.
type Collecting struct {
	*Model
	imatrix *llama.Imatrix
}

// NewCollecting makes a model collect from its next Plan on; its kernels are to be ggml's, whose every product tells what it
// computes with. Close closes both.
func NewCollecting(m *Model) (*Collecting, error) {
	if m.options.own() {
		return nil, errors.Join(errors.New("an importance matrix is collected with --kernels ggml alone"), m.Close())
	}
	if m.options.loaded() {
		return nil, errors.Join(errors.New("an importance matrix is collected with the built-in llama.cpp alone: leave --engine out"), m.Close())
	}
	c := &Collecting{m, llama.NewImatrix()}
	m.release()
	m.weights.Collect(c.imatrix)
	return c, nil
}

// WriteImatrix writes what was collected as a GGUF file that llama.cpp's llama-quantize takes; dataset says what it was collected
// from. llama.cpp writes to a file by its name: to a temporary one.
func (c *Collecting) WriteImatrix(to io.Writer, dataset string) error {
	file, err := os.CreateTemp("", "proctor-imatrix-*.gguf")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if err := c.imatrix.Write(file.Name(), dataset); err != nil {
		return err
	}
	_, err = io.Copy(to, file)
	return err
}

// Close is safe to call twice.
func (c *Collecting) Close() error {
	err := c.Model.Close()
	c.imatrix.Close()
	return err
}
