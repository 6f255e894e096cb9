package llamacpp

import (
	"errors"
	"path/filepath"

	"github.com/google/renameio/v2"

	"proctor/backends/llamacpp/llama"
)

// Collecting is a model that makes an importance matrix of all that it computes, prefixes that prompts share once. Of the last layer,
// which is computed only where a token follows that is wanted, it has completions alone.
type Collecting struct {
	*Model
	imatrix *llama.Imatrix
}

// NewCollecting makes a model collect from its next Plan on; its kernels are to be ggml's, whose every product tells what it computes
// with. Close closes both.
func NewCollecting(m *Model) (*Collecting, error) {
	if m.options.own() {
		return nil, errors.Join(errors.New("an importance matrix is collected with --kernels ggml alone"), m.Close())
	}
	c := &Collecting{m, llama.NewImatrix()}
	m.release()
	m.weights.Collect(c.imatrix)
	return c, nil
}

// WriteImatrix writes what was collected, whole or not at all, as a GGUF file that llama.cpp's llama-quantize takes; dataset says
// what it was collected from.
func (c *Collecting) WriteImatrix(path, dataset string) error {
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	defer file.Cleanup()
	if err := c.imatrix.Write(file.Name(), dataset); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

// Close is safe to call twice.
func (c *Collecting) Close() error {
	err := c.Model.Close()
	c.imatrix.Close()
	return err
}
