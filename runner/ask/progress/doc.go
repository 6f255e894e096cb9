// Package progress says how far a run has come: what is done, by subject, how it scores so far, how fast it is and when it will end,
// in a line, as JSON or as a few lines for a terminal, which cmd/proctor draws.
//
// Neighbours: runner/ask counts what a task asks; cmd/proctor and runner/ask/live show it.
package progress
