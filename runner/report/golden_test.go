package report

import (
	"bytes"
	"testing"

	"gotest.tools/v3/golden"

	"proctor/runner/journal/journaltest"
	"proctor/runner/metrics"
)

func TestGoldenReports(t *testing.T) {
	for name, run := range journaltest.Examples() {
		h, records := run()
		r := mustBuild(t, h, records, metrics.Options{})
		for _, format := range Formats {
			t.Run(name+" as "+format.Name, func(t *testing.T) {
				var out bytes.Buffer
				if err := format.Write(&out, r); err != nil {
					t.Fatal(err)
				}
				golden.Assert(t, out.String(), name+format.Ext)
			})
		}
	}
}
