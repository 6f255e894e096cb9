package report

import (
	"io"

	"proctor/runner/mark/metrics"
	"proctor/runner/report/page"
)

// A Format is a way of writing a report.
type Format = page.Format[*metrics.Summary]

// The names of the formats that are known beyond this file.
const (
	jsonFormat = "json"
	wideFormat = "csv"
	htmlFormat = "html"
	cardFormat = "model-card"
)

// Formats are all of them, the default first: text and markdown are short, csv has one line a run, html is for a
// browser, model-card for the hub that a model is published at.
var Formats = formatsOf(shortPage)

// Full are the same with everything in text and markdown, too.
var Full = formatsOf(fullPage)

func formatsOf(layOut func(*metrics.Summary) page.Page) page.Formats[*metrics.Summary] {
	return append(page.FormatsOf(layOut),
		Format{Name: wideFormat, Ext: ".csv", Write: func(w io.Writer, r *metrics.Summary) error { return writeWide(w, r) }},
		Format{Name: htmlFormat, Ext: ".html", Write: writeHTML},
		Format{Name: cardFormat, Ext: ".card.md", Write: func(w io.Writer, r *metrics.Summary) error { return writeCard(w, r) }})
}
