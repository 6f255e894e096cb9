// Package compare sets runs against each other, question by question: which one is better, by how much, and whether the
// runs can tell at all.
//
//	runs ─ results.Open ─▶ marked items ─ check ─▶ what they share ─ measure ─▶ Comparison ─ Formats ─▶ text | … | html
//
// The first run is what the others are compared with. Runs of other questions, another layout or other rules are refused
// by name of what differs ([NotComparableError]); Options.Force compares what they share and says so in the result. All
// comparisons are paired: McNemar's test and Newcombe's interval for independent questions, a seeded bootstrap of whole
// questions for MMLU-Pro Binary and CircularEval. One plain sentence, the verdict, says what follows.
//
// The files: compare is the whole and its shape, check what is comparable, pair one run against another, items what they
// share, measure what each task is compared by, probabilities what direct runs say of the letters, speed the times of items and
// the totals of runs, verdict the sentence, tied several runs, flips the items whose verdict differs, sections and write the
// output.
//
// length is how much runs write, and how far they differ from themselves; front which of them none beats. html is the file for a
// browser, drawings what is drawn in it, flipbrowser its list of the answers that changed, with the modules of the folder
// browser, likely where two completions part by the tokens that runs kept.
//
// The package has some 3,000 lines: what a comparison says, draws and lists is asked of the same pairs, and a package of documents
// alone would need all of them exported.
//
// What is open: advice says what decides it, sooner what tells something earlier, changed what a score says of the models.
//
// Neighbours: runner/results marks the runs, runner/metrics makes the figures of each, runner/stats computes.
package compare
