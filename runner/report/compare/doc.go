// Package compare writes comparisons of runs: a [pairs.Comparison] as text, tables, JSON and a file for a browser, and the items whose
// verdict differs, for which it reads the runs' journals again.
//
//	runs ─ pairs.Of ─▶ Comparison ─ Formats ─▶ text | … | html
//	runs ─ FlipsOf ─▶ Flips ─ FlipFormats ─▶ text | … | csv
//
// The files: sections lays out the page; changed and speed are parts of it; write has the formats, among them the file
// for a browser; drawings has its drawings, flipbrowser its list of the answers that changed, with the modules of the
// folder browser.
package compare
