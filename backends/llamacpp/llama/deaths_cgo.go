//go:build cgo

package llama

import (
	"os"
	"reflect"
	"runtime"
	"sort"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"proctor/backends/llamacpp/builtin"
)

// WatchDeaths has a signal that the engine dies of, such as SIGSEGV, be what an assertion of it is: what [OnAbort] was given is called,
// and the process ends. Signals that Go's own code gets stay Go's. Linux alone tells.
var WatchDeaths = sync.OnceFunc(func() {
	read, write, err := os.Pipe()
	if err != nil {
		return
	}
	begin, end := goCode()
	builtin.WatchDeaths(begin, end, write.Fd(), uint(patience.Seconds()))
	go func() {
		defer runtime.KeepAlive(write)
		var number [1]byte
		if _, err := read.Read(number[:]); err == nil {
			giveUp(unix.SignalName(syscall.Signal(number[0])))
			os.Exit(exitGaveUp)
		}
	}()
})

// exitGaveUp is what a process exits with that nobody else ended.
const exitGaveUp = 4

// goCode is where this program's Go functions begin and end: they lie together, and beside each other.
func goCode() (begin, end uintptr) {
	const most = 1 << 30 // bytes
	here := reflect.ValueOf(goCode).Pointer()
	down := sort.Search(most, func(n int) bool { return uintptr(n) >= here || runtime.FuncForPC(here-uintptr(n)) == nil })
	up := sort.Search(most, func(n int) bool { return runtime.FuncForPC(here+uintptr(n)) == nil })
	return here - uintptr(down) + 1, here + uintptr(up)
}
