package report

import (
	"bytes"
	"fmt"
	"path/filepath"

	"proctor/runner/journal"
	"proctor/runner/journal/output"
	"proctor/runner/mark/combine"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/page"
)

// Path is where a report of a run is kept, of a format.
func Path(run, ext string) string { return journal.Beside(run, "report"+ext) }

// Save puts the reports that people and programs read first beside a run's journal, each whole or not at all.
func Save(folder string, result *metrics.Summary) error {
	return writeFormats(func(ext string) string { return Path(folder, ext) }, Full, result)
}

// SaveCombined puts what several tasks come to together, if that is anything, into the folder of their run.
func SaveCombined(out string, reports []*metrics.Summary) error {
	together := combine.Of(reports)
	if together == nil {
		return nil
	}
	return writeFormats(func(ext string) string { return filepath.Join(out, "combined"+ext) }, CombinedFormats, together)
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
