package llamacpp

import (
	"context"
	"fmt"

	"proctor/backends"
	"proctor/backends/gguf"
)

// adapt loads the adapters that the options name, and says what a run's record does of them.
func (m *Model) adapt(ctx context.Context) error {
	for _, a := range m.options.Adapters {
		file, err := gguf.Open(a.Path)
		if err != nil {
			return err
		}
		if kind := file.Text("general.type"); kind != "adapter" {
			return fmt.Errorf("%s: no LoRA adapter: its general.type is %q: convert it with llama.cpp's convert_lora_to_gguf.py", a.Path, kind)
		}
		if theirs, ours := file.Architecture(), m.file.Architecture(); theirs != ours {
			return fmt.Errorf("%s: an adapter for %s, and %s is %s: choose the adapter's own model", a.Path, theirs, m.options.Path, ours)
		}
		if err := m.weights.Adapt(a.Path, float32(a.Scale)); err != nil {
			return err
		}
		sum, err := file.SHA256(ctx)
		if err != nil {
			return err
		}
		m.adapters = append(m.adapters, backends.Adapter{Ref: a.Path, Scale: a.Scale, FileSHA256: sum})
	}
	return nil
}
