package registry

import (
	"context"
	"fmt"
	"slices"

	"proctor/backends/embedded/selftest"
	"proctor/backends/engines"
	"proctor/backends/llamacpp"
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

// SelfTests runs the self-test in child processes, for ggml's kernels and for proctor's at the level in use; of an engine that is not the one
// that is compiled in, for its kernels.
func SelfTests(ctx context.Context, engine engines.Engine) (all []Verdict, err error) {
	kernels := []string{engine.Kernels}
	if engine.Folder == "" {
		if err := llama.NeedBuiltin(""); err != nil {
			return nil, fmt.Errorf("there is nothing to test: %w", err)
		}
		kernels = slices.Compact([]string{llamacpp.KernelsGGML, llamacpp.DefaultKernels()})
	}
	for _, name := range kernels {
		verdict, err := selftest.Apart(ctx, llamacpp.Options{Engine: engine.Folder, Kernels: name})
		if err != nil {
			return nil, err
		}
		all = append(all, verdict)
	}
	return all, nil
}

// Remedies advises what to do where kernels compute wrong.
func Remedies(verdicts []Verdict) []Advice {
	for _, v := range verdicts { // ggml's are first: they compute what the others leave to them, too
		why := v.Name() + " computes wrong on this machine: "
		switch {
		case v.OK():
		case v.Kernels == llamacpp.KernelsGGML:
			return []Advice{{why + "build the program here, and test the memory", "make clean build"}}
		default:
			return []Advice{{why + "compute with llama.cpp's own kernels",
				"proctor run " + setting.Kernels.As(llamacpp.KernelsGGML)}}
		}
	}
	return nil
}
