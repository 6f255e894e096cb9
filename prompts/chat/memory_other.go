//go:build !linux

package chat

import (
	"fmt"
	"os"
	"runtime/metrics"
	"time"
)

// limitMemory watches what this process takes, and ends it where that is too much: no system call limits it here.
func limitMemory() {
	go func() {
		taken := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
		for range time.Tick(10 * time.Millisecond) {
			if metrics.Read(taken); taken[0].Value.Uint64() > maxMemory {
				fmt.Fprintln(os.Stderr, "out of memory")
				os.Exit(1)
			}
		}
	}()
}
