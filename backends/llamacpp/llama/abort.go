package llama

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebitengine/purego"
)

// aborting holds the handler for an engine that gives up because an assertion of ggml failed; the process has to end then. Several threads may
// fail at a time.
var aborting struct {
	sync.Mutex // held for good by the thread that fails first
	handle     atomic.Pointer[func(error)]
}

// OnAbort sets the handler, in place of an earlier one, to call when an assertion fails and the engine gives up, on a thread that
// cannot continue. handle gets the reason in a line, which names the models that are open. It must save what must not be lost, without using the
// engine, and end the process. If it takes more than some seconds, or OnAbort was never called, the engine ends the process.
func OnAbort(handle func(error)) { aborting.handle.Store(&handle) }

// patience is how long a handler may take, to write what is in memory to disk.
const patience = 30 * time.Second

// abortCallback is a ggml_abort_callback_t.
var abortCallback = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(text *byte) uintptr {
		giveUp(goString(text))
		return 0
	})
})

// giveUp calls the handler of OnAbort; it returns where that did not end the process.
func giveUp(text string) {
	reason := abortReason(text, openPaths())
	aborting.Lock() // the other threads wait here until the process ends
	handle := aborting.handle.Load()
	if handle == nil {
		fmt.Fprintln(os.Stderr, reason)
		return
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		(*handle)(reason)
	}()
	select {
	case <-ended:
	case <-time.After(patience):
	}
}

// abortReason says why the engine gave up, in a line. ggml's message begins with the place, whose folder is where the engine
// was compiled.
func abortReason(text string, paths []string) error {
	if place, rest, found := strings.Cut(text, ": "); found {
		text = path.Base(place) + ": " + rest
	}
	advice := "the file is damaged, or this version of llama.cpp cannot compute such a model: download it again, or choose another one"
	if name := gpuError(text); name != "" {
		if logged := lastError(name); logged != "" {
			text = strings.Replace(text, name, strings.TrimRight(logged, "."), 1)
		}
		advice = "the GPU did not compute: update its driver, take a build of llama.cpp that is as old as the driver, or leave " +
			"its layers on the CPU"
	}
	return fmt.Errorf("%s: llama.cpp gave up: %s: %s", cmp.Or(strings.Join(paths, " or "), "no model is open"),
		strings.Join(strings.Fields(text), " "), advice)
}

// gpuError is the kind of error of a GPU's backend that a text has; "" where it has none.
func gpuError(text string) string { return gpuErrors.FindString(text) }

var gpuErrors = regexp.MustCompile(`(CUDA|ROCm) error`)

// openPaths are the files of the models that are being loaded or open, in alphabetical order.
func openPaths() []string {
	engineLog.Lock()
	defer engineLog.Unlock()
	var all []string
	for l := range engineLog.listeners {
		if l.path != "" && !slices.Contains(all, l.path) {
			all = append(all, l.path)
		}
	}
	slices.Sort(all)
	return all
}
