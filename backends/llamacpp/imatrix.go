package llamacpp

import (
	"errors"
	"io"
)

// WriteImatrix writes the importance matrix that was collected until now as a GGUF file that llama.cpp's llama-quantize takes; dataset
// says what it was collected from. It is of all that was computed, prefixes that prompts share once; of the last layer, which is
// computed only where a token follows that is wanted, it has completions alone.
func (m *Model) WriteImatrix(to io.Writer, dataset string) error {
	if m.imatrix == nil {
		return errors.New("no importance matrix was to be collected")
	}
	return m.imatrix.Write(to, dataset)
}

// collect starts an importance matrix, where the options want one.
func (m *Model) collect() (err error) {
	if !m.options.Collect {
		return nil
	}
	if m.imatrix, err = m.options.library.NewImatrix(); err != nil {
		return err
	}
	m.weights.Collect(m.imatrix)
	return nil
}
