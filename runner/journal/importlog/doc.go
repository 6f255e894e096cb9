// Package importlog reads the logs of other harnesses and turns them into journals, so that published runs can be
// re-marked, reported and compared beside one's own.
//
// [Read] understands these formats and finds out by itself which one it is given:
//
//   - tiger: what the MMLU-Pro authors' scripts write and publish (eval_results), an array of questions, each with
//     its options and the completion in generated_text, model_outputs or response;
//   - lm-eval: what lm-evaluation-harness writes with --log_samples, one sample a line; also binary, of mmlu_pro_binary;
//   - evalscope: its reviews, one a line, in a file a subject;
//   - opencompass: its predictions by their number, in a file a subject;
//   - inspect: the log of Inspect, as JSON or as an archive (.eval);
//   - llama-eval: the state file of llama.cpp's example of that name, of its GPQA.
//
// The last four show questions and options in prompts alone, or number no questions: the published ones are known by their
// texts, others are counted.
//
// Samples may be a JSON array or JSON Lines, plain or in a zip archive, in one file or spread over several (both
// harnesses write a file for each subject), or in the folder that lm-eval or evalscope wrote its output into. A log says
// less than a journal: what it leaves out stays empty in the header, is never made up, and is named in the header's notes.
//
// Neighbours: the result is a header and records of package journal.
package importlog
