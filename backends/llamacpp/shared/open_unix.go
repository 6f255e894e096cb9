//go:build unix

package shared

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// Open loads a shared library whose names nothing else sees.
func Open(path string) (handle uintptr, err error) {
	// dlerror speaks of its own thread alone: on another one the reason would be lost.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// Symbol is the address of a name in a library or in those that it needs; 0 where it has none.
func Symbol(handle uintptr, name string) uintptr {
	address, err := purego.Dlsym(handle, name)
	if err != nil {
		return 0
	}
	return address
}
