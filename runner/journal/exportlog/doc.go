// Package exportlog writes a run as a log of lm-evaluation-harness, so that tables and scripts made for such logs read it.
//
// [Open] reads a run's journal, and [Run.Write] writes what lm-eval writes with --log_samples: MODEL/samples_TASK_SUBJECT_DATE.jsonl
// and MODEL/results_DATE.json, for mmlu_pro, or for mmlu_pro_binary, whose items each ask about one option.
//
// The log has the letters that lm-eval's rules find, or those for true-or-false items, so its score is that of a report by these
// rules. The caller's [Marker] finds them, since a journal has no verdicts. Package importlog reads the samples again.
//
// [Run.Notes] says what the log leaves out: failed items, which lm-eval does not write either, repeats of an item, thinking that
// is not marked, and the texts of refusals, in which a letter is no answer.
//
// Neighbours: the input is a journal of package journal, the files are written by package output.
package exportlog
