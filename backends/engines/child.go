package engines

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"proctor/backends/embedded/selftest"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/gpu"
	"proctor/backends/llamacpp/llama"
)

// A Question names what a child process has to find out about an engine.
type Question struct {
	Folder string `json:"folder"`          // "": the engine that is compiled in
	Probe  []byte `json:"probe,omitempty"` // whether it opens such files
	Model  string `json:"model,omitempty"` // whether it opens this file; there is no other answer then

	Quantise *llama.Quantization `json:"quantise,omitempty"` // not a question, but a thing to do
}

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

// answer is a Description as it is sent.
type answer struct {
	Description
	Generation int  `json:"generation"`
	Opens      bool `json:"opens"`
}

// patience is how long an engine may take to load; drivers of GPUs take seconds.
const patience = time.Minute

// describe asks a child process about the engine in a place. What the engine does not survive is its Problem; an error is only that ctx
// ended, or that there is no child.
func (s Store) describe(ctx context.Context, place Engine, q Question) (Engine, error) {
	program, err := os.Executable()
	if err != nil {
		return place, err
	}
	question, _ := json.Marshal(q) // of texts and numbers
	out, err := selftest.Output(ctx, patience, program, s.Child, question)
	if ctx.Err() != nil {
		return place, context.Cause(ctx)
	}
	var a answer
	line := out[bytes.LastIndexByte(bytes.TrimRight(out, "\n"), '\n')+1:] // a library may print, too
	switch {
	case err != nil && strings.HasPrefix(err.Error(), q.Folder+": "):
		place.Problem = err.Error()
	case err != nil:
		place.Problem = fmt.Sprintf("%s: it died while it was loaded: %v", q.Folder, err)
	case json.Unmarshal(line, &a) != nil:
		place.Problem = fmt.Sprintf("%s: it ended this program while it was loaded", q.Folder)
	}
	place.Description = a.Description
	place.Generation, place.Opens = a.Generation, a.Opens
	return place, nil
}

// Serve is the child process: it reads a [Question] and writes the answer.
func Serve(in io.Reader, out io.Writer) error {
	var q Question
	if err := json.NewDecoder(in).Decode(&q); err != nil {
		return errors.New("proctor runs this command itself: there is nothing in it for people")
	}
	l, err := llama.OpenLibrary(q.Folder)
	if err != nil {
		return err
	}
	switch {
	case q.Quantise != nil:
		return quantize(l, *q.Quantise, out)
	case q.Model != "":
		return l.Check(q.Model)
	}
	a, err := describe(l, q.Probe)
	if err != nil {
		return err
	}
	text, _ := json.Marshal(a) // of texts and numbers
	_, err = fmt.Fprintf(out, "\n%s\n", text)
	return err
}

// KernelsInWords are the engine's kernels, and why they are ggml's.
func (d Description) KernelsInWords() string {
	if d.Because == "" {
		return d.Kernels
	}
	return d.Kernels + ", because " + d.Because
}

// describe describes the engine in this process, and says whether it opens files of a probe's kind.
func describe(l *llama.Library, probe []byte) (a answer, err error) {
	gpu.Below(l)
	a = answer{Description: Description{Release: l.Version(), Backends: backends(l.Folder()), GPUs: []string{}}, Generation: l.Generation()}
	a.Kernels = llamacpp.KernelsProctor
	if why := l.Kernels(); why != nil {
		a.Kernels, a.Because = llamacpp.KernelsGGML, why.Error()
	}
	for _, device := range l.GPUs() {
		a.GPUs = append(a.GPUs, device.String())
	}
	if len(probe) > 0 {
		a.Opens, err = l.Knows(probe)
	}
	return a, err
}

// Check refuses a model's file that the engine in a folder does not open, "" for the one that is compiled in, as [llama.Library.Check]
// does, in a process of its own: an engine may die of a file.
func (s Store) Check(ctx context.Context, folder, model string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	question, _ := json.Marshal(Question{Folder: folder, Model: model}) // of texts
	err = selftest.Run(ctx, program, s.Child, question, io.Discard)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
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
		paths, _ := filepath.Glob(filepath.Join(literal(folder), pattern))
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

// A Quantizer quantises with an engine, in a process of its own: an engine cannot be stopped otherwise, and may die.
type Quantizer struct {
	Store  Store
	Folder string // of the engine; "" for the llama.cpp that is compiled in
}

// What a child that quantises writes: a line for each tensor, and one at its end.
const (
	announcing = "proctor quantises "
	quantised  = "proctor quantised it"
)

// Quantize writes a quantised copy of a model's file, as [llama.Library.Quantize] does. It ends with ctx.
func (z Quantizer) Quantize(ctx context.Context, q llama.Quantization) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	question, err := json.Marshal(Question{Folder: z.Folder, Quantise: &q})
	if err != nil { // of an importance that is no number
		return err
	}
	said := &lines{progress: q.Progress}
	switch err := selftest.Run(ctx, program, z.Store.Child, question, said); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%s: %w", z.name(), err)
	case !said.done:
		return fmt.Errorf("%s: it ended this program while it quantised", z.name())
	}
	return nil
}

func (z Quantizer) name() string { return cmp.Or(z.Folder, "the llama.cpp that is compiled in") }

// quantize is the child's part of [Quantizer.Quantize].
func quantize(l *llama.Library, q llama.Quantization, out io.Writer) error {
	q.Progress = func(tensor string) { fmt.Fprintf(out, "\n%s%s\n", announcing, tensor) }
	if err := l.Quantize(context.Background(), q); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\n", quantised)
	return err
}

// lines reads what the child writes; a library may print, too.
type lines struct {
	rest     string
	progress func(tensor string)
	done     bool
}

func (l *lines) Write(text []byte) (int, error) {
	l.rest += string(text)
	for {
		line, rest, whole := strings.Cut(l.rest, "\n")
		if !whole {
			return len(text), nil
		}
		l.rest = rest
		tensor, announced := strings.CutPrefix(line, announcing)
		if announced && l.progress != nil {
			l.progress(tensor)
		}
		l.done = l.done || line == quantised
	}
}
