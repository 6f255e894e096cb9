package selftest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/kernels"
)

// patience is how long one of the kernels may take: it is seconds, and minutes where a CPU is emulated.
const patience = 10 * time.Minute

// A Program is this program, asked to check one of its kernels.
type Program struct {
	Path string   // of the executable
	Args []string // have it write {"self_test": [Verdict]}, of one check, to its standard output; proctor or ggml is added to them
}

// Check has all kernels that this CPU has checked, ggml's first, and tells of each verdict as it comes. It is an error only
// where ctx ends.
func (p Program) Check(ctx context.Context, tell func(Verdict)) error {
	all := []Verdict{{Kernels: llamacpp.KernelsGGML}}
	for _, level := range kernels.Supported() {
		all = append(all, Verdict{Kernels: llamacpp.KernelsProctor, Level: level})
	}
	for _, asked := range all {
		verdict := p.check(ctx, asked)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		tell(verdict)
	}
	return nil
}

// check has one of the kernels checked by a process; asked names it.
func (p Program) check(ctx context.Context, asked Verdict) Verdict {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	child := exec.CommandContext(ctx, p.Path, append(p.Args[:len(p.Args):len(p.Args)], asked.Kernels)...)
	child.Env = append(os.Environ(), kernels.LevelVariable+"="+asked.Level)
	var out, said bytes.Buffer
	child.Stdout, child.Stderr = &out, &said
	failed := child.Run()
	var answer struct {
		SelfTest []Verdict `json:"self_test"`
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err == nil && len(answer.SelfTest) == 1 && answer.SelfTest[0].Name() == asked.Name() {
		return answer.SelfTest[0]
	}
	switch asked.Died = reason(said.String()); {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		asked.Died = fmt.Sprintf("no answer after %s", patience)
	case asked.Died != "":
	case failed != nil:
		asked.Died = failed.Error()
	default:
		asked.Died = fmt.Sprintf("it wrote %q instead of a verdict", out.Bytes()[:min(out.Len(), snippet)])
	}
	return asked
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
