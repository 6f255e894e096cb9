package engines

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"proctor/backends/embedded/selftest"
	"proctor/backends/llamacpp/llama"
)

// A Quantizer quantises with an engine, in a process of its own: an engine cannot be stopped otherwise, and may die.
type Quantizer struct {
	Store  Store
	Folder string // of the engine
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
	if err != nil {
		return err
	}
	said := &lines{progress: q.Progress}
	switch err := selftest.Run(ctx, program, z.Store.Child, question, said); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%s: %w", z.Folder, err)
	case !said.done:
		return fmt.Errorf("%s: it ended this program while it quantised", z.Folder)
	}
	return nil
}

// quantize is what the child does.
func quantize(q Question, out io.Writer) error {
	l, err := llama.OpenLibrary(q.Folder)
	if err != nil {
		return err
	}
	q.Quantise.Progress = func(tensor string) { fmt.Fprintf(out, "\n%s%s\n", announcing, tensor) }
	if err := l.Quantize(context.Background(), *q.Quantise); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%s\n", quantised)
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
