// Package choice recommends which of several files of one model to run: the smallest that meets the user's wishes on speed, memory and
// loss of accuracy against a reference.
//
//	Candidates (speed, memory, divergence), Wishes, pairs.Comparison of their runs ─ Of ─▶ Choice: a table, a recommendation
//
// Neighbours: runner/ask/sweep measures, scores and runs the candidates, and skips those that already fail a wish; runner/mark/pairs judges
// their loss; runner/report/compare writes the choice.
package choice
