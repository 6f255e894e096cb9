package report

import (
	"io"

	"proctor/runner/metrics"
	"proctor/runner/page"
)

// A Format is a way of writing a report.
type Format = page.Format[*metrics.Summary]

// The names of the formats that hold several reports in one document.
const (
	jsonFormat = "json"
	wideFormat = "csv"
)

// Formats are all of them, the default first: csv has one line a run, csv-long one a figure.
var Formats = append(page.FormatsOf(pageOf),
	Format{Name: wideFormat, Ext: ".csv", Write: func(w io.Writer, r *metrics.Summary) error { return writeWide(w, r) }},
	Format{Name: "csv-long", Ext: ".long.csv", Write: writeLong})
