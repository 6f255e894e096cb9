package pairs

import (
	"testing"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/pairs/pairstest"
)

// compared sets runs against each other.
func compared(t testing.TB, o Options, runs ...pairstest.Run) *Comparison {
	t.Helper()
	var paths []string
	for i, run := range runs {
		paths = append(paths, run.Write(t, journaltest.Letter(i)))
	}
	c, err := Of(paths, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
