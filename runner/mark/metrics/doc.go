// Package metrics computes a run's figures: counts, estimates with intervals, tests against guessing, speeds, and the cautions
// that belong to each.
//
//	results.Run ─ Of ─▶ Summary, whose JSON is read by other programs
//
// [Open] reads a run on disk. A [Summary] depends only on the journal, and not on the order of its lines; nothing here depends on
// the report's layout. A figure that cannot be computed is absent from the JSON. [Warning]s name the part of the report that they
// concern.
//
// The files: summary has the result's types and metrics fills it in; task has what the tasks share; accuracy, binary and circular
// (with variants) are for one kind of task each, chosen by its headline in package prompts/task; parts has the figures of some of
// the items, direct those of the letters' probabilities, thinking those of budgets, covers the part of the set that figures cover,
// repeats and sequential those of repeated runs and of runs that stop early; cautions has warnings on the run, and package validity
// decides whether the score measures the model at all.
//
// Where items were asked several times, figures of a question's items together (all right, consistent) are of each repeat. Every
// interval takes the questions as its units.
//
// # Which population
//
// A figure and its interval, p, verdict and advice are about one population: questions like the run's. The set itself is a sample of
// them, as in papers. A limit draws in proportion to the subjects, so the plain share estimates the set's share. An equal number
// of each subject does not, so the mean over subjects is given too. If subjects or items are missing, Covers names the part of the run.
//
// Against guessing, p is two-sided and the inversion of its interval: better means an interval above the score of guessing. A guesser
// is called better 2 to 4 % of the time, and better or worse 4 to 5 % (10,000 simulated draws of 28 to 1,400 questions). For subjects,
// rule sets and other parts p is twice the one-sided one, and so two-sided, too: a guesser is called better 2.5 % of the time at
// most. It names its figure: exact for accuracies and answers to each option, Student's for question means. Where an interval would
// cover less than 93 %, or say nothing, there is none: too few.
//
// Neighbours: runner/mark/results has the items, runner/mark/stats the statistics; runner/report lays a summary out,
// runner/report/compare compares several.
package metrics
