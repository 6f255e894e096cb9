// Package report writes a run's figures as text, markdown, JSON, CSV or HTML, and explains rule sets.
//
//	metrics.Summary ─ sections ─▶ page.Page ─▶ text | markdown
//	                ├───────────────────────▶ json | csv
//	                └ parts ─▶ html.Part, with drawings and the items ─▶ html
//
// [Formats] are the ways to write; which figures there are is package metrics's business, how a page is laid out package
// page's. The files: short is the page that people get first, sections the full one and its smaller sections, result and guessing the
// headline's, speed, lengths, repeats and sequential one section each, csv a line a run, or a figure, card a model's card, rules what
// rule sets are. Of the HTML, html is the file, sentence its verdict, drawings and curves what is drawn.
//
// The package has somewhat over 2,000 lines: a section is a small file, and each way to write puts the same ones together.
package report
