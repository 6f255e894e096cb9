// Package stats computes intervals, tests and comparisons from counts and scores. It is pure: no I/O, no clock, no
// randomness but what a caller's seed gives, and the only package that imports gonum's distributions.
//
// Two habits hold throughout. What cannot be computed is an undefined [Number] or an [Interval] that IsZero, never
// NaN and never a 0 that looks like a measurement. And what is computed on shaky ground carries Warnings, which
// travel with the number to wherever it is printed.
//
// The files: number and estimate are the results' types; proportion, mean, macro, totals and classification estimate; tail says
// how likely guessing is; paired, pairedscore, pairedmean, multiple compare; package betting
// does; quantile bounds medians; repeats and size belong to repeated runs and to
// planning them.
//
// # What is used where
//
//   - A share of questions: Wilson's interval, widened to the exact one of 93 % (share.bounds). A mean and a balanced
//     accuracy use it at their effective size ([Macro], [OfTotals]); [BalancedAccuracy] adds two as squares.
//   - Two runs whose questions are right or wrong: Tango's score test ([PairedScore]); of yes/no tasks and repeats a test of the
//     same form ([PairedTotals]). McNemar's exact p stands beside them and decides nothing.
//   - Guessing: the Poisson-binomial distribution, exact ([PoissonBinomialTail], [StratifiedGuess]).
//   - Several p: [Holm] over subjects, [Bonferroni] over runs, since its intervals are those of confidence 1 − α/m.
//   - Runs that stop once it is decided: e-values, and the order they hold for, in package betting.
//
// How often intervals hold the truth is in docs/statistics.md, and simulated by the tests.
//
// Its callers are metrics and compare.
package stats
