//go:build !cgo

package llama

// WatchDeaths watches no signal: what it would call is C. A library that is loaded runs in a process of its own instead.
func WatchDeaths() {}
