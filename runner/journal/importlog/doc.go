// Package importlog reads the logs of other harnesses and turns them into journals, so that published runs can be
// marked again, reported and compared with your own.
//
// [Read] understands these formats and finds out by itself which one it is given:
//
//   - tiger: what the MMLU-Pro authors' scripts write and publish (eval_results), an array of questions, each with
//     its options and the completion in generated_text, model_outputs or response;
//   - lm-eval: what lm-evaluation-harness writes with --log_samples, one sample a line; also binary, of mmlu_pro_binary;
//   - evalscope: its reviews, one a line, a file for each subject;
//   - opencompass: its predictions by number, a file for each subject.
//
// The last two have questions and options only in their prompts, or don't number them: published questions are
// recognised by their texts, others are numbered in order.
//
// Samples may be a JSON array or JSON Lines, plain or in a zip archive, in one file or several (most harnesses write one for
// each subject), or in the folder that lm-eval or evalscope wrote. A log has less than a journal: what it lacks stays empty in
// the header, is never made up, and is named in the header's notes.
//
// Neighbours: the result is a header and records of package journal.
package importlog
