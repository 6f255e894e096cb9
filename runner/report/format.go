package report

import (
	"proctor/runner/metrics"
	"proctor/runner/page"
)

// A Format is a way of writing a report.
type Format = page.Format[*metrics.Summary]

// Formats are all of them, the default first.
var Formats = append(page.FormatsOf(pageOf), Format{Name: "csv", Ext: ".csv", Write: writeCSV})
