package report

import (
	"bytes"
	"slices"
	"testing"

	"gotest.tools/v3/golden"

	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
)

// printed are the formats that people read as they are written; what a browser makes of html has tests of its own.
var printed = slices.DeleteFunc(slices.Clone(Formats), func(f Format) bool { return f.Name == htmlFormat })

func TestGoldenReports(t *testing.T) {
	for name, run := range journaltest.Examples() {
		h, records := run()
		r := mustBuild(t, h, records, metrics.Options{})
		for _, format := range printed {
			t.Run(name+" as "+format.Name, func(t *testing.T) { assertGolden(t, format, r, name+format.Ext) })
		}
		for _, format := range Full[:2] {
			t.Run("all of "+name+" as "+format.Name, func(t *testing.T) { assertGolden(t, format, r, name+".full"+format.Ext) })
		}
	}
}

func assertGolden(t *testing.T, format Format, r *metrics.Summary, name string) {
	t.Helper()
	var out bytes.Buffer
	if err := format.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	golden.Assert(t, out.String(), name)
}
