//go:build unix

// Command layout says where a published build of llama.cpp has the fields of its parameters: the rows of package layout that the
// defaults which it returns fit, and the row that they propose, with what they leave open named.
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
	fits, proposal := layout.Fits(model(), context()), layout.Propose(model(), context())
	if len(fits) == 0 {
		fits = []string{"none: it needs a row of its own"}
	}
	fmt.Printf("fits      %s\n%s\n", strings.Join(fits, ", "), proposal.Row)
	if !layout.FitsQuantize(quantize()) {
		fmt.Println("open      the fields for quantising lie elsewhere")
	}
	for _, open := range proposal.Ambiguous {
		fmt.Println("open     ", open)
	}
	return nil
}
