package runner

import (
	"proctor/runner/grade"
)

// until notes that a completion has its answer.
func (f *flight) until(decided grade.Decider) func(text []byte) bool {
	return func(text []byte) bool {
		f.atAnswer = decided(text)
		return f.atAnswer
	}
}
