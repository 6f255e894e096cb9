package report

import (
	"fmt"
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

// Formats are all of them, the default first: text and markdown are short, csv has one line a run, csv-long one a figure, html is
// for a browser, model-card for the hub that a model is published at.
var Formats = formatsOf(shortPage)

// Full are the same with everything in text and markdown, too.
var Full = formatsOf(fullPage)

func formatsOf(layOut func(*metrics.Summary) page.Page) page.Formats[*metrics.Summary] {
	return append(page.FormatsOf(layOut),
		Format{Name: wideFormat, Ext: ".csv", Write: func(w io.Writer, r *metrics.Summary) error { return writeWide(w, r) }},
		Format{Name: "csv-long", Ext: ".long.csv", Write: writeLong},
		Format{Name: htmlFormat, Ext: ".html", Write: writeHTML},
		Format{Name: cardFormat, Ext: ".card.md", Write: func(w io.Writer, r *metrics.Summary) error { return writeCard(w, r) }})
}

// Chosen is the format of a name, or, where that is empty, of a file's, with everything where full asks for it, which programs
// have in any case.
func Chosen(name, path string, full bool) (Format, error) {
	f, err := Formats.Of(name, path)
	switch {
	case err != nil || !full:
		return f, err
	case f.Name != "text" && f.Name != "markdown":
		return f, fmt.Errorf("--full is of text and markdown: %s has everything without it", f.Name)
	}
	return Full.Named(f.Name)
}
