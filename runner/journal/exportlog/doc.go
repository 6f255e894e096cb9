// Package exportlog writes a run as a log of lm-evaluation-harness, so that tables and scripts made for such logs read it.
//
// [Open] reads a run's journal, and [Run.Write] writes what lm-eval writes with --log_samples: MODEL/samples_TASK_SUBJECT_DATE.jsonl
// and MODEL/results_DATE.json, of mmlu_pro or of mmlu_pro_binary, whose items each ask about one option.
//
// The log says which letter was found by lm-eval's rules, or by those for true-or-false items, so that it counts what a report by
// these rules does. Letters are found by a [Marker], which the caller has: a journal holds evidence alone. Package importlog reads
// the samples again.
//
// What a log can't hold is left out and said in [Run.Notes]: items that failed, which lm-eval does not write either, repeats
// of an item, thinking where the run does not mark it, and refusals' texts, in which a letter is no answer.
//
// Neighbours: the input is a journal of package journal, the files are written by package output.
package exportlog
