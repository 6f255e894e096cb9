package chat

import "syscall"

// limitMemory has the system give this process no more memory, which ends a Go program that asks for it.
func limitMemory() {
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: maxMemory, Max: maxMemory}) // lowering it is never refused
}
