package report

import (
	"io"
	"path/filepath"

	"proctor/runner/mark/metrics"
	"proctor/runner/report/page"
	"proctor/runner/report/table"
)

// InOneDocument says whether several reports in a format make one document, which can only be written once all are there: a JSON array of
// the reports and their table, a CSV with a line each, or the page of their table.
func InOneDocument(f Format) bool {
	return f.Name == jsonFormat || f.Name == wideFormat || f.Name == htmlFormat
}

// WriteSeveral writes reports and their common table, one after the other or, if the format needs it, in one document.
func WriteSeveral(w io.Writer, f Format, reports []*metrics.Summary, t *table.Table) error {
	switch f.Name {
	case wideFormat:
		return writeWide(w, reports...)
	case jsonFormat:
		var all []any
		for _, r := range reports {
			all = append(all, r)
		}
		return page.JSON(w, append(all, t))
	case htmlFormat:
		return WriteTable(w, f, t)
	}
	for _, r := range reports {
		if err := f.Write(w, r); err != nil {
			return err
		}
	}
	return WriteTable(w, f, t)
}

// WriteTable writes a table in the format of reports.
func WriteTable(w io.Writer, f Format, t *table.Table) error {
	format, err := table.Formats.Named(f.Name)
	if err != nil {
		return err
	}
	return format.Write(w, t)
}

// SaveTable writes the runs' table into their common folder.
func SaveTable(folder string, t *table.Table) error {
	return writeFormats(func(ext string) string { return filepath.Join(folder, "table"+ext) }, table.Formats, t)
}
