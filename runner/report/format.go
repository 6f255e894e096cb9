package report

import (
	"fmt"
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

// Formats are all of them, the default first: text and markdown are short, csv has one line a run, csv-long one a figure.
var Formats = formatsOf(shortPage)

// Full are the same with everything in text and markdown, too.
var Full = formatsOf(fullPage)

func formatsOf(layOut func(*metrics.Summary) page.Page) page.Formats[*metrics.Summary] {
	return append(page.FormatsOf(layOut),
		Format{Name: wideFormat, Ext: ".csv", Write: func(w io.Writer, r *metrics.Summary) error { return writeWide(w, r) }},
		Format{Name: "csv-long", Ext: ".long.csv", Write: writeLong})
}

// Chosen is the format of a name, with everything where full asks for it, which programs have in any case.
func Chosen(name string, full bool) (Format, error) {
	f, err := Formats.Named(name)
	switch {
	case err != nil || !full:
		return f, err
	case name != "text" && name != "markdown":
		return f, fmt.Errorf("--full is of text and markdown: %s has everything without it", name)
	}
	return Full.Named(name)
}
