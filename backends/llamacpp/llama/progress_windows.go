package llama

import (
	"sync"

	"golang.org/x/sys/windows"
)

// progressCallback is a llama_progress_callback. On this system Go cannot read the share, a float, and 0 is reported.
var progressCallback = sync.OnceValue(func() uintptr {
	return windows.NewCallback(func(_, number uintptr) uintptr {
		if loading(0, number) {
			return 1
		}
		return 0
	})
})
