// Package report writes a run's figures as text, markdown, JSON, CSV or HTML.
//
//	metrics.Summary ─ sections ─▶ page.Page ─▶ text | markdown
//	                │        └─▶ html.Document, with their drawings and the items ─▶ html
//	                └───────────▶ json | csv
//
// [Formats] are the ways to write; which figures there are is package metrics's business, how a page is laid out package
// page's. The files: short is the page that people get first, sections the full one and its smaller sections, result and guessing
// the headline's, speed, repeats, direct, thinking and decided one section each, options the kinds of option, setup the run itself, rules
// what rule sets take; format the ways to write, and what is kept beside a journal. Of the HTML, html is the file, drawings and curves
// what is drawn.
package report
