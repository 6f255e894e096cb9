// Package progress reports a run's progress: the items done by subject, the score so far, the speed and the expected end,
// in a line or as JSON.
//
// Neighbours: runner/ask counts a task's items; cmd/proctor shows it.
package progress
