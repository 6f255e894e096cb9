// Package exportlog writes a run as the logs of other harnesses, so that their tables and scripts read it.
//
// [Open] reads a run's journal and [Formats] are the shapes that it can be written in, each into a folder of its own:
//
//   - tiger: SUBJECT.json, as the MMLU-Pro authors' evaluate_from_local.py writes them and compute_accuracy.py counts them;
//   - lm-eval: MODEL/samples_mmlu_pro_SUBJECT_DATE.jsonl and MODEL/results_DATE.json, as lm-evaluation-harness writes them with
//     --log_samples;
//   - evalscope: predictions/, reviews/ and reports/, as evalscope leaves them in its work_dir.
//
// Each shape says which letter was found by the harness's own rules, so that it counts what it would count. Letters are found by
// a [Marker], which the caller has: a journal holds evidence alone. Package importlog reads all three shapes again.
//
// What a log can't hold is left out and said in [Run.Notes]: items that failed, which these harnesses do not write either, repeats
// of an item, thinking where the run does not mark it, and refusals' texts, in which a letter is no answer.
//
// Neighbours: the input is a journal of package journal, the files are written by package output.
package exportlog
