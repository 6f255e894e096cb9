package quantize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llama"
)

// Options say what Write writes.
type Options struct {
	Source     string // a GGUF file, or the first part of a split one
	Target     string // one file; replaced where it exists
	Type       string // one of Types, in any case
	Threads    int    // 0: 1
	Imatrix    string // GGUF file with an importance matrix, as llama-imatrix writes it; "" for none
	Requantise bool   // take a source that is quantised already, and lose more than its size says

	Progress func(Progress) // called before each tensor, and once when all are done

	Engine Engine // nil: the llama.cpp that is compiled in, in this process, which may not survive a damaged model
}

// An Engine writes a quantised copy of a model's file.
type Engine interface {
	Quantize(ctx context.Context, q llama.Quantization) error
}

// Progress is how far a file is.
type Progress struct {
	Tensor    string // the one that is to be written; "" at the end
	Done, All int    // tensors
	Share     float64
}

// Whole refuses a model that is quantised already: quantising it once more would lose precision that its type does not show.
func Whole(model *gguf.File) error {
	if of := quantised(model); of != "" {
		return fmt.Errorf("%s: has tensors in %s already: quantise from its F32, F16 or BF16 file", model.Path, of)
	}
	return nil
}

// Write quantises a model. It writes to a temporary file beside the target (".NAME" and digits) and renames it once it is whole on the disk:
// until then, and where Write fails or ctx ends, which stops it before the next tensor, the target stays unchanged.
func Write(ctx context.Context, o Options) error {
	model, err := gguf.Open(o.Source)
	if err != nil {
		return err
	}
	if err := model.Validate(); err != nil {
		return err
	}
	plan, err := Estimate(model, o.Type, o.Imatrix != "")
	if err != nil {
		return err
	}
	if err := Whole(model); err != nil && !o.Requantise {
		return err
	}
	if same(o.Source, o.Target) {
		return fmt.Errorf("%s: is the model that is to be quantised: write to another file", o.Target)
	}
	importance, err := plan.importance(o.Imatrix, model)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(o.Target), "."+filepath.Base(o.Target)+"*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	engine := o.Engine
	if engine == nil {
		engine = llama.Builtin()
	}
	err = engine.Quantize(ctx, llama.Quantization{
		From: o.Source, To: file.Name(), Type: plan.Type, Threads: max(1, o.Threads), Requantise: o.Requantise,
		Importance: importance, Progress: plan.follow(o.Progress),
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && strings.Contains(err.Error(), "iostream error"):
		return fmt.Errorf("%s: cannot be written: is there room for about %d bytes?", o.Target, plan.Bytes)
	case err != nil:
		return fmt.Errorf("%s: cannot be quantised to %s: %w", o.Source, plan.Type, err)
	}
	if err := errors.Join(file.Sync(), os.Chmod(file.Name(), 0o644), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), o.Target); err != nil {
		return err
	}
	plan.follow(o.Progress)("")
	return nil
}

// follow returns what turns a tensor's name into progress.
func (p Plan) follow(progress func(Progress)) func(tensor string) {
	if progress == nil {
		return func(string) {}
	}
	var all int64
	for _, t := range p.tensors {
		all += t.Bytes
	}
	return func(tensor string) {
		now := Progress{Tensor: tensor, All: len(p.tensors)}
		var done int64
		for now.Done < len(p.tensors) && p.tensors[now.Done].Name != tensor {
			done += p.tensors[now.Done].Bytes
			now.Done++
		}
		now.Share = float64(done) / float64(max(all, 1))
		progress(now)
	}
}

// same says whether two paths are one file.
func same(a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return errors.Join(err, otherErr) == nil && os.SameFile(one, other)
}
