// Package report writes a run's figures as text, markdown, JSON, CSV or HTML.
//
//	metrics.Summary ─ sections ─▶ page.Page ─▶ text | markdown
//	                │        └─▶ html.Document, with their drawings and the items ─▶ html
//	                └───────────▶ json | csv
//
// [Formats] are the ways to write. Package metrics decides which figures there are, package page how a page is laid out. The files: short
// is the page that people get first, sections the full one and its smaller sections, result and guessing the headline's, speed, repeats,
// direct, thinking and decided one section each, options the kinds of option, setup the run itself, rules the rule sets' explanations;
// format has the ways to write, and the files kept beside a journal. For HTML, html is the file, drawings and curves its drawings.
package report
