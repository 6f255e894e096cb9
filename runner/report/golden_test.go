package report

import (
	"bytes"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/page/pagetest"
)

// printed are the formats that people read as text; html has tests of its own in a browser.
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

// TestTheDefaultFitsOneScreen has the reports of the examples, and of a run with every kind of failure.
func TestTheDefaultFitsOneScreen(t *testing.T) {
	examples := journaltest.Examples()
	examples["failing"] = func() (journal.Header, []journal.Record) {
		h, records := journaltest.MCQ(200, func(q, _ int, gold string) journaltest.Answer {
			failed := []backends.Cause{backends.CauseTimeout, backends.CauseTruncated, backends.CauseMemory, "", "", "", ""}
			return []journaltest.Answer{{Failed: failed[q/9%7]}, {Letter: gold}, {}, {Capped: true}}[q%4]
		})
		h.Model.ChatTemplateSHA256, h.Selection.Items = "ab", 300
		return h, records
	}
	for name, run := range examples {
		h, records := run()
		var out pagetest.Screen
		assert.NilError(t, Formats[0].Write(&out, mustBuild(t, h, records, metrics.Options{})))
		t.Run(name, func(t *testing.T) { pagetest.FitsFirstScreen(t, &out, 1) }) // `run` says where it is saved
	}
}

func assertGolden(t *testing.T, format Format, r *metrics.Summary, name string) {
	t.Helper()
	var out bytes.Buffer
	assert.NilError(t, format.Write(&out, r))
	golden.Assert(t, out.String(), name)
}
