package registry

import (
	"context"
	"fmt"
	"os"

	"github.com/dustin/go-humanize/english"

	"proctor/backends/embedded/selftest"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/setting"
)

// A Verdict says whether kernels compute right on this machine.
type Verdict = selftest.Verdict

// SelfTest has the control model answer questions whose texts are known, with kernels of this name (as [Options].Kernels) and
// in this process; with the engine in a folder, where that is not "".
func SelfTest(ctx context.Context, kernels, folder string) (Verdict, error) {
	return selftest.Known().Check(ctx, llamacpp.Options{Kernels: kernels, Engine: folder})
}

// SelfTests runs the self-test for all kernels that this CPU has, each in a child process: this program with args, as [selftest.Program] has
// them. report gets each verdict as it comes.
func SelfTests(ctx context.Context, args []string, report func(Verdict)) error {
	if err := llama.NeedBuiltin(""); err != nil {
		return fmt.Errorf("there is nothing to test: %w", err)
	}
	path, err := os.Executable()
	if err != nil {
		return err
	}
	return selftest.Program{Path: path, Args: args}.Check(ctx, report)
}

// Remedies advises what to do where kernels compute wrong, given the verdicts on all: use the best ones that compute right.
func Remedies(verdicts []Verdict) []Advice {
	var wrong []string
	ggml, best := true, ""
	for _, v := range verdicts {
		switch {
		case !v.OK():
			wrong = append(wrong, v.Name())
			ggml = ggml && v.Level != ""
		case best == "":
			best = v.Level
		}
	}
	why := english.WordSeries(wrong, "and") + " computes wrong on this machine: "
	switch {
	case len(wrong) == 0:
		return nil
	case !ggml: // it computes what the other kernels leave to it, too
		return []Advice{{why + "build the program here, and test the memory", "make clean build"}}
	case best != "":
		return []Advice{{why + "compute with the next best level", "export " + kernels.LevelVariable + "=" + best}}
	}
	return []Advice{{why + "compute with llama.cpp's own kernels", "proctor run " + setting.Kernels.As(llamacpp.KernelsGGML)}}
}
