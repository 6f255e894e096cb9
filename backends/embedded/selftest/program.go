package selftest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"proctor/backends/llamacpp"
	"proctor/backends/setting"
)

// patience is how long one of the kernels may take: it is seconds, and minutes where a CPU is emulated.
const patience = 10 * time.Minute

// programName is the name of the process that checks; a test's program has the same name.
const programName = "proctor"

// A Program is this program as a child that checks one kind of kernels.
type Program struct {
	Path string   // of the executable
	Args []string // have it write {"self_test": [Verdict]}, of one check, to its standard output; proctor or ggml is added to them
}

// Check returns the verdicts on ggml's kernels, and on proctor's at the level in use where there are any. The only
// error is the end of ctx.
func (p Program) Check(ctx context.Context) (all []Verdict, err error) {
	for _, name := range slices.Compact([]string{llamacpp.KernelsGGML, llamacpp.DefaultKernels()}) {
		all = append(all, p.check(ctx, Verdict{Kernels: name}))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return all, nil
}

// CheckEngine has the llama.cpp in a folder checked, with kernels of this name.
func (p Program) CheckEngine(ctx context.Context, folder, kernels string) (Verdict, error) {
	verdict := p.check(ctx, Verdict{Kernels: kernels, Engine: folder}, setting.Engine.String(), folder)
	return verdict, context.Cause(ctx)
}

// check has one of the kernels checked by a process, which gets more arguments; wanted names it.
func (p Program) check(ctx context.Context, wanted Verdict, more ...string) Verdict {
	args := slices.Concat([]string{programName}, p.Args, []string{wanted.Kernels}, more)
	out, err := Output(ctx, patience, p.Path, args, nil)
	var answer struct {
		SelfTest []Verdict `json:"self_test"`
	}
	switch {
	case json.Unmarshal(out, &answer) == nil && len(answer.SelfTest) == 1 && answer.SelfTest[0].tests(wanted):
		return answer.SelfTest[0]
	case err != nil:
		wanted.Died = err.Error()
	default:
		wanted.Died = fmt.Sprintf("it wrote %q instead of a verdict", out[:min(len(out), snippet)])
	}
	return wanted
}

// tests says whether a verdict is on the wanted kernels.
func (v Verdict) tests(wanted Verdict) bool {
	if wanted.Engine != "" {
		return v.Engine != ""
	}
	return v.Kernels == wanted.Kernels
}

// Output runs a program, given its name with its arguments and its input, and returns its standard output. The error says in a line why it
// failed: in the program's own words, or that it took too long.
func Output(ctx context.Context, patience time.Duration, path string, args []string, input []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var out bytes.Buffer
	err := Run(ctx, path, args, input, &out)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer after %s", patience)
	}
	return out.Bytes(), err
}

// Run runs a program as [Output] does, with no limit but ctx, and has it write to out.
func Run(ctx context.Context, path string, args []string, input []byte, out io.Writer) error {
	child := exec.CommandContext(ctx, path)
	child.Args = args
	var said bytes.Buffer
	child.Stdin, child.Stdout, child.Stderr = bytes.NewReader(input), out, &said
	child.WaitDelay = time.Second // what it has started may hold its output open
	err := child.Run()
	if why := reason(said.String()); err != nil && why != "" {
		return errors.New(why)
	}
	return err
}

// reason is why a program ended, in its own words: its error, or the first line of a trace.
func reason(said string) string {
	first := ""
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if text, found := strings.CutPrefix(line, "proctor: "); found {
			return text
		}
		first = cmp.Or(first, line)
	}
	return first
}
