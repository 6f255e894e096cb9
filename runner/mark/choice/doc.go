// Package choice says which of several files of one model to run: what each of them is, takes and loses beside a reference, and which is
// the smallest that holds all that is wanted.
//
//	Candidates (speed, memory, divergence), Wishes, pairs.Comparison of those that were asked ─ Of ─▶ Choice: a table, a recommendation
//
// Neighbours: runner/ask/sweep measures, scores and asks the candidates, and leaves out those that fail a wish already; runner/mark/pairs
// judges what they lose; runner/report/compare writes the choice.
package choice
