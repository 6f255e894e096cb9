//go:build cgo

package builtin

// #include "deaths.h"
import "C"

// WatchDeaths has signals such as SIGSEGV, where Go's code from begin to end did not get them, written to a pipe, a byte with the
// signal's number. The thread then waits for the process to end, and ends it with 4 after patience, in seconds.
func WatchDeaths(begin, end, pipe uintptr, patience uint) {
	C.proctor_deaths_watch(C.uintptr_t(begin), C.uintptr_t(end), C.int(pipe), C.unsigned(patience))
}
