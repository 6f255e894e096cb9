// Package pairs compares runs, question by question: which one is better, by how much, and whether there are enough questions
// to decide.
//
//	runs ─ results.Open ─▶ marked items ─ check ─▶ what they share ─ measure ─▶ Comparison
//
// The others are compared with the first run. Runs with other questions, another layout or other rules are refused with a list of
// the differences ([NotComparableError]); Options.Force compares the items that they share, with a warning. All comparisons are
// paired. Questions that are right or wrong as a whole have one score test ([stats.PairedScore]): its inversion is the interval, its
// value at no difference is p, and a loss is ruled out where the interval is above it. MMLU-Pro Binary and repeats have a test of the
// same form for the questions' totals ([stats.PairedTotals]). Fewer than ten questions have neither an interval nor a p, only counts.
// The verdict states the result in one plain sentence, with the measure of the runs' headlines.
//
// # Which population
//
// A difference is over the questions that both runs have, each counting the same. A run that stopped once its comparison was decided
// keeps that decision, which is about questions like these: intervals are not valid where the data decides when to stop.
//
// # One page, one answer
//
// Several runs are compared with the first by intervals that hold for all pairs together (1 − α/pairs, Bonferroni). The pairs'
// verdicts, gates, the number of questions that would decide and the recommendation all use these intervals, and p_adjusted is
// p times the number of pairs, so that none contradicts another. The tied set uses them where the first run is one
// of the two, and else intervals for all pairs of runs, each counted twice, since the best run is found from the same data.
// A subject's interval is for that subject alone, at the comparison's confidence, and p (Holm) is adjusted for the number of
// subjects; a rule set's interval and p are those of the pair. All p are two-sided and go with the interval beside them.
//
// The files: comparison has the result and its types; match finds equal questions in runs of different sets; check refuses
// incomparable runs; pair compares two runs on their shared items (items), in the measure of their task (measure), with a verdict;
// sequence decides instead of an interval where a run stopped early; tied finds the runs that none beats; speed compares speeds,
// length the length of answers. advice says how many questions would decide an open pair, recommend which model to take, and changed
// how far a score says that the models differ.
//
// Neighbours: runner/mark/results marks the runs, runner/mark/metrics makes the figures of each, runner/mark/stats computes;
// runner/report/compare writes a Comparison.
package pairs
