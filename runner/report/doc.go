// Package report writes a run's figures as text, markdown, JSON or CSV, and explains rule sets.
//
//	metrics.Summary ─ sections ─▶ page.Page ─▶ text | markdown
//	                └───────────────────────▶ json | csv
//
// [Formats] are the ways to write; which figures there are is package metrics's business, how a page is laid out package
// page's. The files: short is the page that people get first, sections the full one and its smaller sections, result and guessing the
// headline's, speed, repeats and sequential one section each, csv a line a run, or a figure, rules what rule sets are.
package report
