//go:build unix

package llama

import (
	"sync"

	"github.com/ebitengine/purego"
)

// progressCallback is a llama_progress_callback.
var progressCallback = sync.OnceValue(func() uintptr { return purego.NewCallback(loading) })
