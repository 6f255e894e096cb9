// Package saved writes the reports that are kept beside a run's journal, each whole or not at all.
package saved

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"proctor/runner/journal"
	"proctor/runner/journal/output"
	"proctor/runner/mark/combine"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
	"proctor/runner/report/page"
)

// The names of reports' files, without their extensions.
const (
	reportName   = "report"
	combinedName = "combined"
)

// Path is where a report of a run is kept, of a format: in its folder, and beside a journal that has none under that one's name.
func Path(run, ext string) string {
	file := journal.File(run)
	if filepath.Base(file) == journal.FileName {
		return filepath.Join(filepath.Dir(file), reportName+ext)
	}
	return strings.TrimSuffix(file, filepath.Ext(file)) + "." + reportName + ext
}

// Write puts the reports that people and programs read first beside a run's journal.
func Write(folder string, result *metrics.Summary) error {
	return writeFormats(func(ext string) string { return Path(folder, ext) }, report.Full, result)
}

// WriteCombined puts what several tasks come to together, if that is anything, into the folder of their run.
func WriteCombined(out string, reports []*metrics.Summary) error {
	together := combine.Of(reports)
	if together == nil {
		return nil
	}
	return writeFormats(func(ext string) string { return filepath.Join(out, combinedName+ext) }, report.CombinedFormats, together)
}

// writeFormats writes a thing to a file of each format; at names it by its extension.
func writeFormats[T any](at func(ext string) string, formats page.Formats[T], thing T) error {
	for _, format := range formats {
		var content bytes.Buffer
		if err := format.Write(&content, thing); err != nil {
			return err
		}
		path := at(format.Ext)
		if err := output.WriteFile(path, content.Bytes()); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return nil
}
