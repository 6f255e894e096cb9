package llama

import (
	"errors"
	"os"
	"strconv"
	"sync"

	"proctor/backends/llamacpp/builtin"
	"proctor/backends/llamacpp/kernels"
)

// A Library is a llama.cpp: the one that is compiled in, or one that was loaded when the program ran. It is never unloaded.
type Library struct {
	functions
	layout  layout
	version string
	folder  string // it was loaded from; "" for the one that is compiled in

	kernels error // why package kernels cannot compute for it; nil: it can
	rotates bool  // its graphs rotate what a quantised cache holds
}

// Builtin is the library that is compiled in. It panics where none is: in a program that was built without cgo, see [NeedBuiltin].
var Builtin = sync.OnceValue(func() *Library {
	l := &Library{version: builtin.Version}
	if !kernels.Available() {
		l.kernels = errors.New("proctor has no kernels for this CPU")
	}
	if err := l.bind(builtin.Symbol); err != nil {
		panic("llama.cpp of this program: " + err.Error())
	}
	return l
})

// HasBuiltin says whether a llama.cpp is compiled in.
func HasBuiltin() bool { return builtin.Symbol("llama_decode") != 0 }

// NeedBuiltin returns an error if no llama.cpp is compiled in. instead names other remedies before the last one: "do this, or ".
func NeedBuiltin(instead string) error {
	if HasBuiltin() {
		return nil
	}
	return errors.New("this proctor was built without llama.cpp: " + instead + "build with cgo (make)")
}

// bind finds the library's functions, and where its parameters lie, and prepares it for use.
func (l *Library) bind(symbol func(name string) uintptr) (err error) {
	if l.functions, err = bind(symbol); err != nil {
		return err
	}
	if _, set := os.LookupEnv("GGML_NO_BACKTRACE"); !set {
		os.Setenv("GGML_NO_BACKTRACE", "1") // else a failed assertion of ggml starts a debugger
	}
	l.LlamaLogSet(logCallback(), nil)
	l.GgmlSetAbortCallback(abortCallback())
	l.LlamaBackendInit()
	l.layout, err = layoutOf(l.LlamaModelDefaultParams(), l.LlamaContextDefaultParams())
	return err
}

// Version says which llama.cpp it is.
func (l *Library) Version() string { return l.version }

// Generation numbers the layouts of parameters in the order of their releases. Of two libraries, the one with the greater number is
// the newer.
func (l *Library) Generation() int { return l.layout.Generation() }

// Folder is where it was loaded from; "" for the one that is compiled in.
func (l *Library) Folder() string { return l.folder }

// Kernels says why package kernels cannot compute for it; nil: it can.
func (l *Library) Kernels() error { return l.kernels }

// NeverRotate is the environment's way to have llama.cpp store all caches as they are: a number that is not 0.
const NeverRotate = "LLAMA_ATTN_ROT_DISABLE"

// Rotates says whether the library's own graphs rotate keys and values before they are stored in a quantised cache, as
// llama.cpp's do since April 2026. May says whether anybody should.
func (l *Library) Rotates() (does, may bool) {
	off, _ := strconv.Atoi(os.Getenv(NeverRotate))
	return l.rotates && off == 0, off == 0
}
