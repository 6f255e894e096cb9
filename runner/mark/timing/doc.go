// Package timing says how fast a run was: tokens a second, what a question and a right answer cost, and how far the run was
// from what its work alone takes.
//
//	results.Run ─ Of ─▶ Speed        results.View ─ CostOf ─▶ Cost
//
// The files: speed is the run's own figures, cost those of a part of it by question, bound the time that the work alone takes.
//
// Neighbours: runner/mark/results comes before; runner/mark/metrics holds the figures, runner/report and runner/report/compare show them.
package timing
