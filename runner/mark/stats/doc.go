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
// # How often intervals hold the truth
//
// Wanted are 93 to 97 %. Where few questions are right or wrong, or few come out differently, more is unavoidable: there are few
// results, one of them is likely, and an interval that leaves out the truth with the next covers less than 93 % elsewhere. The
// lower bound is kept. Shares, added up exactly, least to most in percent, by the share that is right (or wrong):
//
//	questions   0.5–2 %     2–5 %       5–10 %      10–20 %     20–50 %
//	10          98.4–99.9   96.5–99.7   96.5–99.5   96.5–99.4   94.7–99.3
//	28          96.5–99.7   96.5–99.4   96.5–99.1   94.8–98.9   93.5–97.9
//	70          96.5–99.5   96.5–99.0   94.5–98.1   93.9–97.1   93.7–96.5
//	280         95.0–99.0   94.3–97.4   94.0–96.6   94.2–95.9   94.3–95.7
//	1400        94.1–96.9   94.2–95.8   94.4–95.5   94.6–95.4   94.7–95.3
//
// Balanced accuracy, 2,000 draws, items independent or not: 96.5–100 at 10 and 28 questions, 95.0–100 at 70, 94.6–99.1 at 280.
// Paired differences, 4,000 draws, by the share of flips:
//
//	questions   1 %          4 %         20 %
//	70          99.9–100     98.4–99.4   95.4–96.1
//	350         97.5–98.9    95.2–95.7   95.2–95.4
//	1400        95.4–96.1    94.4–96.0   94.6–95.6
//
// Its callers are metrics and compare.
package stats
