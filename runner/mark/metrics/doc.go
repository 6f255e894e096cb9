// Package metrics makes a run's figures: counts, estimates with their intervals, tests against guessing, how fast the run
// was, and the cautions that belong to each.
//
//	results.Run ─ Of ─▶ Summary, whose keys in JSON others read
//
// [Open] begins with a run on disk. What a [Summary] says depends on the journal alone, and not on the order of its lines;
// nothing here knows how it will be laid out. A figure that cannot be computed is absent from the JSON. [Warning]s name
// the part of a report that they concern.
//
// The files: summary is the shape of the result and metrics fills it in, task what the tasks have in common; accuracy, binary and
// circular (with variants) measure one kind of task each, chosen by the headline of package prompts/task; parts are some of the
// items; direct the letters' probabilities of a run that generates nothing, thinking what a budget of it was worth; covers what
// part of a set the figures are of; repeats and sequential what asking again and stopping by itself add; cautions what concerns the run,
// and package validity whether the score is of the model at all.
//
// Where items were asked several times, what is about one question's items together (all right, consistent) is about each
// repeat of the question. Every interval takes the questions as its units.
//
// # Of which population
//
// A figure and what stands beside it (interval, p, verdict, the number of questions that would show more) are of one
// population: questions like those that were asked, of which the set is a sample itself, as papers quote it. A limit draws in
// proportion to the subjects, so that the plain share estimates that of the set. An equal number of each subject does not, and the
// mean over subjects stands beside it. Where not all subjects and items were asked, Covers names the part that was.
//
// Against guessing, p is two-sided and the inversion of the interval beside it: better is an interval above what guessing
// scores. A guesser is called better 2 to 4 % of the time, and better or worse 4 to 5 % (10,000 simulated draws of 28 to 1,400
// questions). p of subjects and other parts, rule sets among them, is twice the one-sided one, so it is two-sided, too: a guesser is
// called better 2.5 % of the time at most. It says which figure it is of: exact of accuracies and of answers to each option,
// Student's of question means. Where an interval would cover less than 93 % or say nothing, there is none: too few.
//
// Neighbours: runner/mark/results comes before, runner/mark/stats computes; runner/report lays a summary out, runner/report/compare sets
// several beside each other.
package metrics
