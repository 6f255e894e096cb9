// Package items lists a run's items one by one: what was asked, what the model wrote, what was taken as its answer and why.
//
//	runs ─ results.Open ─▶ marked items ─ Filter ─▶ List ─ Rows, texts read again ─▶ jsonl | csv | text
//	                                                └ Find ─▶ Page of one item
//
// The marks are those that reports count, so a filter's items are as many as the report says. A run's items are held without
// their prompts and completions; a row that has them has them read from the journal again, so that memory does not grow with
// what models wrote.
//
// The files: list opens runs, row is a line of the list, filter chooses lines, formats write them, page is one item for people,
// browser all of them in an HTML document, with the modules and the style sheet of the folder browser.
//
// Neighbours: runner/mark/results marks the items, runner/mark/grade explains the tags, runner/report/page lays a page out,
// runner/report/html a document.
package items
