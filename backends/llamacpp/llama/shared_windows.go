package llama

import (
	"sync"

	"golang.org/x/sys/windows"
)

// openShared loads a shared library, and looks for those that it needs in its folder first.
func openShared(path string) (handle uintptr, err error) {
	library, err := windows.LoadLibraryEx(path, 0, windows.LOAD_WITH_ALTERED_SEARCH_PATH)
	return uintptr(library), err
}

// sharedSymbol is the address of a name in a library; 0 where it has none.
func sharedSymbol(handle uintptr, name string) uintptr {
	address, err := windows.GetProcAddress(windows.Handle(handle), name)
	if err != nil {
		return 0
	}
	return address
}

// progressCallback is a llama_progress_callback. It cannot read the share, a float, in Go on this system, and tells of 0.
var progressCallback = sync.OnceValue(func() uintptr {
	return windows.NewCallback(func(_, number uintptr) uintptr {
		if loading(0, number) {
			return 1
		}
		return 0
	})
})
