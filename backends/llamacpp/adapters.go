package llamacpp

import (
	"context"
	"fmt"
	"strings"

	"proctor/backends"
	"proctor/backends/gguf"
)

// openAdapters reads the headers of the adapters that the options name. It refuses one of another model, and one that
// changes nothing.
func (o *Options) openAdapters(model *gguf.File) (all []*gguf.File, err error) {
	for _, a := range o.Adapters {
		file, err := gguf.Open(a.Ref)
		if err != nil {
			return nil, err
		}
		if kind := file.Text("general.type"); kind != "adapter" {
			return nil, fmt.Errorf("%s: no LoRA adapter: its general.type is %q: convert it with llama.cpp's "+
				"convert_lora_to_gguf.py", a.Ref, kind)
		}
		if theirs, ours := file.Architecture(), model.Architecture(); theirs != ours {
			return nil, fmt.Errorf("%s: an adapter for %s, and %s is %s: choose the adapter's own model", a.Ref, theirs,
				o.Path, ours)
		}
		changes := false
		for _, t := range file.Tensors {
			of, is := strings.CutSuffix(t.Name, ".lora_b") // added is B·A
			if !is {
				continue
			}
			if _, known := model.Tensor(of); !known {
				return nil, fmt.Errorf("%s: an adapter for another model than %s, which has no tensor %s: "+
					"choose the adapter's own model", a.Ref, o.Path, of)
			}
			if !changes {
				zero, err := file.IsZero(t)
				if err != nil {
					return nil, err
				}
				changes = !zero
			}
		}
		if !changes {
			return nil, fmt.Errorf("%s: an adapter that changes nothing of %s, since all that it adds is zero: was it saved "+
				"before it was trained?", a.Ref, o.Path)
		}
		all = append(all, file)
	}
	return all, nil
}

// adapt loads the adapters, and says what a run's record does of them.
func (m *Model) adapt(ctx context.Context, adapters []*gguf.File) error {
	for i, file := range adapters {
		scale := m.options.Adapters[i].Scale
		if err := m.weights.Adapt(file.Path, float32(scale)); err != nil {
			return fmt.Errorf("%w (the model is %s)", err, m.options.Path)
		}
		sum, err := file.SHA256(ctx)
		if err != nil {
			return err
		}
		m.adapters = append(m.adapters, backends.Adapter{Ref: file.Path, Scale: scale, FileSHA256: sum})
	}
	return nil
}
