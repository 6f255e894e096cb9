// Package timing computes a run's speed: tokens a second, and the cost of a question and of a right answer.
//
//	results.Run ─ Of ─▶ Speed        results.View ─ CostOf ─▶ Cost
//
// Neighbours: runner/mark/results has the items; runner/mark/metrics has the figures in its Summary, runner/report and
// runner/report/compare show them.
package timing
