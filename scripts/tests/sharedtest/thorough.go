package sharedtest

import (
	"os"
	"testing"
)

// Thorough says whether tests look at every case, as make check has them do with THOROUGH=1: every level, shape and type, instead of a
// few that stand for all.
func Thorough() bool { return os.Getenv("THOROUGH") != "" }

// NeedThorough skips a test that takes long, unless tests are [Thorough].
func NeedThorough(tb testing.TB) {
	tb.Helper()
	if !Thorough() {
		tb.Skip("thorough: make check runs it")
	}
}

// Few returns the first n cases, or all where tests are [Thorough].
func Few[T any](n int, cases []T) []T {
	if Thorough() {
		return cases
	}
	return cases[:min(n, len(cases))]
}

// Count returns how many cases to make: few, or all where tests are [Thorough].
func Count(few, all int) int {
	if Thorough() {
		return all
	}
	return few
}
