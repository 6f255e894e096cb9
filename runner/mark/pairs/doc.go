// Package pairs sets runs against each other, question by question: which one is better, by how much, and whether the
// runs can tell at all.
//
//	runs ─ results.Open ─▶ marked items ─ check ─▶ what they share ─ measure ─▶ Comparison
//
// The first run is what the others are compared with. Runs of other questions, another layout or other rules are refused
// by name of what differs ([NotComparableError]); Options.Force compares what they share and says so in the result. All
// comparisons are paired. Questions that are right or wrong as a whole have one score test ([stats.PairedScore]): its inversion
// is the interval, its value at no difference is p, and a loss is ruled out where the interval is above it. MMLU-Pro Binary and
// repeats have one of the questions' totals ([stats.PairedTotals]), of the same form. Fewer than ten questions have neither an
// interval nor a p: they are counted. One plain sentence, the verdict, says what follows, and names the measure: that of the runs' headlines.
//
// # Of which population
//
// A difference is of the questions that both runs have, each of which counts the same. A run that ended once it was decided keeps that
// decision, which is of questions like these: intervals do not hold where one stops by looking.
//
// # One page, one answer
//
// Several runs are compared with the first by intervals that hold for all pairs together (1 − α/pairs, Bonferroni). The pairs'
// verdicts, gates, the number of questions that would decide and the recommendation all use these intervals, and p_adjusted is
// p times the number of pairs, so that none of them says what another denies. The tied set uses them where the first run is one
// of the two, and else intervals for all pairs that the runs have, each counted twice: which run is best is found by looking.
// A subject's interval is of that subject alone, at the comparison's confidence, and p (Holm) is adjusted for the number of
// subjects; a rule set's interval and p are those of the pair. All p are two-sided and go with the interval beside them.
//
// The files: comparison is the whole and its shape, match finds the same questions in runs of sets that differ, check says what is
// comparable, pair compares one run with another, items are what they share, measure is what each task is compared by,
// verdict the sentence, sequence what decides instead of an interval where a run stopped by itself, tied several runs and which of them
// none beats, speed how fast runs did the same work, length how much they write. Advice says how many questions decide an open pair,
// recommend which model to take, and changed what a score says of the models.
//
// Neighbours: runner/mark/results marks the runs, runner/mark/metrics makes the figures of each, runner/mark/stats computes;
// runner/report/compare writes a Comparison.
package pairs
