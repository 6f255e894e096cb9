// Package stats computes intervals, tests and comparisons from counts and scores. It has no I/O, no clock and no
// randomness except from a caller's seed, and is the only package that imports gonum's distributions.
//
// Two rules hold throughout. A value that cannot be computed is an undefined [Number], or an [Interval] that IsZero, never NaN and
// never a 0 that looks like a measurement. A doubtful value carries Warnings, which are printed wherever it is.
//
// The files: number and estimate have the results' types; proportion, mean, macro, totals and classification estimate; tail tests
// against guessing; paired, pairedscore, pairedmean, multiple and package betting compare; quantile bounds medians; repeats is for
// repeated runs, size for planning.
//
// # Which method for which figure
//
//   - A share of questions: Wilson's interval, widened to the exact one of 93 % (share.bounds). A mean and a balanced
//     accuracy use it at their effective size ([Macro], [OfTotals]); [BalancedAccuracy] adds two as squares.
//   - Two runs whose questions are right or wrong: Tango's score test ([PairedScore]); for yes/no tasks and repeats a test of the
//     same form ([PairedTotals]). McNemar's exact p is given beside them and decides nothing.
//   - Guessing: the Poisson-binomial distribution, exact ([PoissonBinomialTail], [StratifiedGuess]).
//   - Several p-values: [Holm] over subjects, [Bonferroni] over runs, whose intervals have confidence 1 − α/m.
//   - Runs that stop once a comparison is decided: e-values, with the order of questions that they need, in package betting.
//
// docs/statistics.md has the intervals' coverage, which the tests simulate.
//
// Its main callers are packages metrics and pairs.
package stats
