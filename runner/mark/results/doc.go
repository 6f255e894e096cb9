// Package results reads a run's items for computing figures: marked under every rule set, each id once, in one order, whatever the
// order of the journal's lines.
//
//	journal ─ Open ─▶ Run: Items with Marks, Times ─ View ─▶ Answers, Questions, Tally
//
// [Open] reads a file. A [View] is some of the items under one rule set, with
// iterators over the units of statistics.
//
// Neighbours: it reads with runner/journal and marks with runner/mark/grade; runner/mark/metrics makes one run's figures, runner/mark/pairs
// compares several.
package results
