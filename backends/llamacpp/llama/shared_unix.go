//go:build unix

package llama

import (
	"sync"

	"github.com/ebitengine/purego"
)

// openShared loads a shared library whose names nothing else sees.
func openShared(path string) (handle uintptr, err error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// sharedSymbol is the address of a name in a library or in those that it needs; 0 where it has none.
func sharedSymbol(handle uintptr, name string) uintptr {
	address, err := purego.Dlsym(handle, name)
	if err != nil {
		return 0
	}
	return address
}

// progressCallback is a llama_progress_callback.
var progressCallback = sync.OnceValue(func() uintptr { return purego.NewCallback(loading) })
