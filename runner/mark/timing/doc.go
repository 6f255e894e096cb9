// Package timing computes a run's speed: tokens a second, the cost of a question and of a right answer, and the wall time compared
// with the time for the work alone.
//
//	results.Run ─ Of ─▶ Speed        results.View ─ CostOf ─▶ Cost
//
// The files: speed has the run's figures, cost a part's by question, bound the time for the work alone.
//
// Neighbours: runner/mark/results has the items; runner/mark/metrics has the figures in its Summary, runner/report and
// runner/report/compare show them.
package timing
