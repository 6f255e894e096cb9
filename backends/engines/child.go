package engines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"proctor/backends/child"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/gpu"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/shared"
)

// A Description holds what an engine reports about itself.
type Description struct {
	Release    string   `json:"release"` // such as "llama.cpp v0.5.0"
	Generation int      `json:"-"`
	Backends   []string `json:"backends"`                  // by its libraries, such as cpu and cuda
	GPUs       []string `json:"gpus"`                      // that it finds on this machine
	Kernels    string   `json:"kernels"`                   // that compute on the CPU in a run: proctor or ggml
	Because    string   `json:"kernels_because,omitempty"` // why they are ggml's
	Opens      bool     `json:"-"`                         // files of the probe's kind
}

// Tasks are those of child processes.
var Tasks = []child.Task{
	with("describe", describe),
	with("check", func(l *llama.Library, q question, _ func(string)) (struct{}, error) {
		return struct{}{}, l.Check(q.Model)
	}),
	with("quantise", func(l *llama.Library, q question, progress func(string)) (struct{}, error) {
		q.Quantization.Progress = progress
		return struct{}{}, l.Quantize(context.Background(), q.Quantization)
	}),
}

// with is a task with the library of a question.
func with[A any](name string, do func(*llama.Library, question, func(string)) (A, error)) child.Task {
	return child.Answering(name, func(q question, progress func(string)) (answer A, err error) {
		l, err := llama.OpenLibrary(q.Folder)
		if err != nil {
			return answer, err
		}
		return do(l, q, progress)
	})
}

// A question names what a child process has to find out about an engine, or what to do with it.
type question struct {
	Folder       string // "": the engine that is compiled in
	Probe        []byte // whether it opens such files
	Model        string // whether it opens this file
	Quantization llama.Quantization
}

// patience is how long an engine may take to load; drivers of GPUs take seconds.
const patience = time.Minute

// describe has a child process describe the engine in a place. What the engine does not survive is its Problem; an
// error is only that ctx ended.
func (e Engine) describe(ctx context.Context, probe []byte) (Engine, error) {
	var err error
	e.Description, err = child.Ask[Description](ctx, "describe", patience, question{Folder: e.Folder, Probe: probe}, nil)
	if ctx.Err() != nil {
		return e, err
	}
	if died := (*child.Death)(nil); errors.As(err, &died) {
		e.Problem = fmt.Sprintf("%s: it died while it was loaded: %v", e.Folder, died)
	} else if err != nil {
		e.Problem = err.Error()
	}
	e.Backends, e.GPUs = append([]string{}, e.Backends...), append([]string{}, e.GPUs...) // an empty list is sent as none
	return e, nil
}

// KernelsInWords are the engine's kernels, and why they are ggml's.
func (d Description) KernelsInWords() string {
	if d.Because == "" {
		return d.Kernels
	}
	return d.Kernels + ", because " + d.Because
}

// describe describes the engine in this process, and says whether it opens files of a probe's kind.
func describe(l *llama.Library, q question, _ func(string)) (d Description, err error) {
	gpu.Below(l)
	d = Description{
		Release: l.Version(), Generation: l.Generation(), Backends: backends(l.Folder()), GPUs: []string{},
		Kernels: llamacpp.KernelsProctor,
	}
	if why := l.Kernels(); why != nil {
		d.Kernels, d.Because = llamacpp.KernelsGGML, why.Error()
	}
	for _, device := range l.GPUs() {
		d.GPUs = append(d.GPUs, device.String())
	}
	if len(q.Probe) > 0 {
		d.Opens, err = l.Knows(q.Probe)
	}
	return d, err
}

// Check refuses a model's file that the engine in a folder does not open, "" for the one that is compiled in, as
// [llama.Library.Check] does, in a process of its own: an engine may die of a file.
func Check(ctx context.Context, folder, model string) error {
	_, err := child.Ask[struct{}](ctx, "check", 0, question{Folder: folder, Model: model}, nil)
	return err
}

// Builtin says whether the llama.cpp that is compiled in opens files of a probe's kind.
func Builtin(probe []byte) (bool, error) {
	if !llama.HasBuiltin() {
		return false, nil
	}
	return llama.Builtin().Knows(probe)
}

// backends are ggml's, by the names of their libraries in a folder and in those directly below it.
func backends(folder string) []string {
	found := []string{}
	for _, pattern := range []string{"*ggml-*", "*/*ggml-*"} {
		paths, _ := filepath.Glob(filepath.Join(shared.Globbed(folder), pattern))
		for _, path := range paths {
			name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(filepath.Base(path), "lib"), "ggml-"), ".")
			kind, _, _ := strings.Cut(name, "-")
			if kind != "base" && !slices.Contains(found, kind) {
				found = append(found, kind)
			}
		}
	}
	slices.Sort(found)
	return found
}

// A Quantizer quantises with the engine in a folder, "" for the llama.cpp that is compiled in, in a process of its own:
// an engine cannot be stopped otherwise, and may die.
type Quantizer struct{ Folder string }

// Quantize writes a quantised copy of a model's file, as [llama.Library.Quantize] does. It ends with ctx.
func (z Quantizer) Quantize(ctx context.Context, q llama.Quantization) error {
	_, err := child.Ask[struct{}](ctx, "quantise", 0, question{Folder: z.Folder, Quantization: q}, q.Progress)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", cmp.Or(z.Folder, "the llama.cpp that is compiled in"), err)
	}
	return err
}
