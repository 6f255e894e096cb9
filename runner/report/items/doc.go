// Package items lists a run's items one by one: the prompt, the model's text, the answer found in it, and the reason for its mark.
//
//	runs ─ results.Open ─▶ marked items ─ Filter ─▶ List ─ Rows, texts read again ─▶ jsonl | csv | text
//	                                                └ Find ─▶ Page of one item
//
// The marks are those that reports count, so a filter finds as many items as the report says. A run's items are held without their prompts
// and completions; rows that need them read them from the journal again, so memory does not grow with the length of the texts.
//
// The files: list opens runs, row is a line of the list, filter chooses lines, formats write them, find looks an item up by its id, page
// shows one item, with its forks from forks, browser all of them in an HTML document, with the modules and the style sheet of the folder
// browser.
//
// Neighbours: runner/mark/results marks the items, runner/mark/grade explains the tags, runner/report/page lays a page out,
// runner/report/html a document.
package items
