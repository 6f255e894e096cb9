// Package compare writes what runs say of each other: a [pairs.Comparison] as text, tables, JSON and a file for a browser, and the
// items whose verdict differs, which the runs' journals are read again for.
//
//	runs ─ pairs.Of ─▶ Comparison ─ Formats ─▶ text | … | html
//	runs ─ FlipsOf ─▶ Flips ─ FlipFormats ─▶ text | … | csv
//
// The files: sections is the page, changed, length, probabilities and speed are parts of it, write the formats, among them the file for a
// browser; drawings is what is drawn in it, flipbrowser its list of the answers that changed, with the modules of the folder browser.
package compare
