// Package report makes a run's report from its journal: marks the items, computes every figure, and writes them as
// text, markdown, JSON or CSV.
//
//	journal ─ gather ─▶ items, marked under every rule set ─ Build ─▶ Report ─ Write ─▶ text | markdown | json | csv
//
// [Of] does all of it from a file, [Build] from a header and a stream of records. What a [Report] says depends on the
// journal alone: no model, no dataset, no clock; and not on the order of the journal's lines. A figure that cannot be
// computed is absent from the JSON and "n/a" in the text. [Warning]s name the part of the report that they concern and
// are shown there.
//
// A [Sheet] is the half-way house, for those who set several runs against each other.
//
// The files: report is the shape of the result, item and view the way from records to counts, exam, binary and
// circular what the three tasks measure, subject, rule, letter the parts, clock, speed and bound how fast the run was and
// could have been, repeats and sequential what asking again and stopping by itself add, sections, figures and pace the
// pages.
//
// Where items were asked several times, what is about one question's items together (all right, consistent) is about each
// sitting: the question's items as they were asked one time. Every interval takes the questions as its units.
//
// Neighbours: runner/journal and runner/grade come before, runner/stats computes, runner/page lays out, runner/compare
// sets several reports' runs against each other.
package report
