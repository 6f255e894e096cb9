// Package results is a run's items as figures are made of them: read from the journal, marked under every rule set, each
// id once, in one order, whatever the order of the journal's lines.
//
//	journal ─ Open ─▶ Run: Items with Marks, Times ─ View ─▶ Answers, Questions, Tally
//
// [Open] reads a file, [Read] a header and a stream of records. A [View] is some of the items under one rule set, with
// the parts that statistics take as their units.
//
// Neighbours: runner/journal and runner/mark/grade come before; runner/mark/metrics makes figures of one run, runner/report/compare sets
// several against each other.
package results
