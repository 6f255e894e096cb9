package compare

import (
	"path/filepath"
	"slices"
	"testing"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/report/page"
)

// figures are the formats that are figures alone: an HTML comparison reads its journals again, and has tests of its own.
var figures = slices.DeleteFunc(slices.Clone(Formats), func(f page.Format[*pairs.Comparison]) bool { return f.Name == "html" })

// compared sets runs against each other and calls them by the names a, b, c … on disk.
func compared(t testing.TB, o pairs.Options, runs ...pairstest.Run) *pairs.Comparison {
	t.Helper()
	var paths []string
	for i, p := range runs {
		paths = append(paths, p.Write(t, journaltest.Letter(i)))
	}
	c, err := pairs.Of(paths, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Runs { // temporary folders have no business in golden files
		c.Runs[i].Path = filepath.Base(c.Runs[i].Path)
	}
	return c
}
