//go:build unix

// Command layout says which rows of package layout the defaults fit that a published build of llama.cpp returns for its parameters, and
// prints these: where a build fits none, they and the fields in its llama.h make the new row.
//
//	go run ./scripts/tools/layout FOLDER
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ebitengine/purego"

	"proctor/backends/llamacpp/layout"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: layout FOLDER: a process can load one build")
		os.Exit(2)
	}
	if err := show(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "layout:", err)
		os.Exit(2)
	}
}

func show(folder string) error {
	var llama uintptr
	for _, name := range []string{"ggml-base", "ggml", "llama"} {
		all, err := filepath.Glob(filepath.Join(folder, "lib"+name+".*"))
		if err != nil || len(all) == 0 {
			return fmt.Errorf("%s has no lib%s", folder, name)
		}
		if llama, err = purego.Dlopen(all[0], purego.RTLD_NOW|purego.RTLD_LOCAL); err != nil {
			return err
		}
	}
	var model, context, quantize func() layout.Params
	purego.RegisterLibFunc(&model, llama, "llama_model_default_params")
	purego.RegisterLibFunc(&context, llama, "llama_context_default_params")
	purego.RegisterLibFunc(&quantize, llama, "llama_model_quantize_default_params")
	fits := layout.Fits(model(), context())
	if len(fits) == 0 {
		fits = []string{"none: it needs a row of its own"}
	}
	fmt.Printf("fits      %s\nmodel     %s\ncontext   %s\n", strings.Join(fits, ", "), model(), context())
	if !layout.FitsQuantize(quantize()) {
		fmt.Println("open      the fields for quantising lie elsewhere")
	}
	return nil
}
