package llama

import (
	"sync"

	"golang.org/x/sys/windows"
)

// progressCallback is a llama_progress_callback. It cannot read the share, a float, in Go on this system, and tells of 0.
var progressCallback = sync.OnceValue(func() uintptr {
	return windows.NewCallback(func(_, number uintptr) uintptr {
		if loading(0, number) {
			return 1
		}
		return 0
	})
})
