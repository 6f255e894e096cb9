package compare

import "proctor/runner/page"

// Formats are the ways of writing a comparison, the default first.
var Formats = page.FormatsOf((*Comparison).page)
