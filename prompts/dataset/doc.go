// Package dataset holds the questions: it opens them, checks them, keeps imported sets and picks from them.
//
//	ref ── Open ──→ Set{Test, Validation} ── Select ──→ []Question
//
// [Open] takes a parquet, JSON Lines, JSON or CSV file, a folder with a test and a validation file, the name of a set in
// the data folder, or the embedded sample. Two schemas are recognised in any format:
//
//	MMLU-Pro  question_id, question, options, answer, answer_index, cot_content, category, src
//	plain     question, choices, answer_index
//
// They may be mixed: options and choices mean the same, category may be called subject, and what is absent is made
// up: the id from the row's number, the subject as [DefaultSubject], the gold letter from answer_index or the other
// way round. Of other files a [Mapping] says which columns hold what; the shapes of MMLU, C-Eval, MMLU-ProX,
// MMLU-Redux, ARC, GPQA and SuperGPQA, and a column an option, are recognised. What an answer column says is found
// where only one reading fits every row. How a file was read stands in its [Split], and in the manifest of an
// imported set, which needs no mapping any more.
//
// A row that cannot be a question is a [BadRow], named by file and line, and refused by default.
//
// Subpackage folder finds the files, table reads them, row by row. Here, mapping says which columns hold what, shape knows that of
// published sets, reading finds what an answer means, native and cells make the set's rows of a table's.
//
// The package knows nothing of prompts, models or runs. Package prompts renders the questions; subpackage hub downloads the published
// set.
package dataset
