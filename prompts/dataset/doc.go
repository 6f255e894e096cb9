// Package dataset holds the questions: it opens them, checks them, keeps imported sets and picks from them.
//
//	ref → files → rows → columns, by a [Mapping] → [Question] → [Set] → [Set.Select] → []Question
//
// Files are parquet, JSON Lines, a JSON array or CSV, which subpackage table reads. A [Mapping] says which columns hold
// what: it is given, or it is that of the first of the [layouts], MMLU-Pro's and other published sets', whose columns
// are there. What an answer column says, a letter, an index or a text, is what fits every row. How a file was read
// stands in its [Split]; the manifest of an imported set has the mapping that was given. A row that cannot be a
// question is a [BadRow], named by file and line, and the set is refused.
//
// It knows nothing of prompts, models or runs. Package prompts renders questions; subpackage hub gets MMLU-Pro.
package dataset
