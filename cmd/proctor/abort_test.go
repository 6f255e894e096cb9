//go:build unix && cgo

package main

import (
	"os"
	"regexp"
	"slices"

	"golang.org/x/sys/unix"

	"proctor/backends/isolated"
	"proctor/backends/llamacpp/kernels/kernelstest"
)

// abortsVariable has a pattern of what an engine's process is sent, as in Next.*deadly: once that comes, an assertion
// of ggml fails.
const abortsVariable = "ABORTS"

func init() { faulty = abortAtText }

// abortAtText reads standard input for an engine's process, and passes it on.
func abortAtText() {
	pattern := os.Getenv(abortsVariable)
	if pattern == "" || !slices.Equal(os.Args[1:], []string{"child", isolated.Task.Name}) {
		return
	}
	deadly := regexp.MustCompile("(?s)" + pattern)
	read, write, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	from, err := unix.Dup(0)
	if err == nil {
		err = unix.Dup2(int(read.Fd()), 0)
	}
	if err != nil {
		panic(err)
	}
	go func() {
		defer write.Close()
		from := os.NewFile(uintptr(from), "pipe")
		for buffer := make([]byte, 64<<10); ; {
			n, err := from.Read(buffer)
			if err != nil {
				return
			}
			if deadly.Match(buffer[:n]) { // nobody reads what follows
				kernelstest.Compute(kernelstest.Norms{Width: 1, Epsilon: -1, Rows: []float32{1}}, 1, 1) // ggml accepts none below 0
			}
			write.Write(buffer[:n])
		}
	}()
}
