package ask

import (
	"bytes"
	"cmp"
	"context"
	"errors"
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

// An Outcome is what came of one task.
type Outcome struct {
	Report *metrics.Summary // of everything that the journal holds
	Err    error            // why the asking stopped early; nil where it did not
}

// An UnsavedError says that a task's reports could not be written beside its journal, which is whole.
type UnsavedError struct {
	Folder string
	Err    error
}

func (e *UnsavedError) Error() string { return e.Err.Error() }
func (e *UnsavedError) Unwrap() error { return e.Err }

// Run asks task after task. done gets each one's outcome, however the asking ended, and then its reports are written beside its
// journal: where that can't be done the error is an [*UnsavedError] and the later tasks are asked all the same. What is missing from
// one task does not keep the later ones from being asked either; an error from done does, as do a journal that was deleted under the
// run, a [*journal.LostError], and the end of ctx.
func (s *Session) Run(ctx context.Context, done func(Outcome) error) error {
	if err := s.extend(); err != nil {
		return err
	}
	var unsaved error
	var reports []*metrics.Summary
	for _, plan := range s.plans {
		asking, err := s.ask(ctx, plan)
		if err != nil {
			return err
		}
		if lost := (*journal.LostError)(nil); errors.As(asking, &lost) {
			return asking
		}
		folder := s.folder(plan)
		result, err := metrics.Open(folder, metrics.Options{})
		if err != nil {
			return errors.Join(asking, err)
		}
		reports = append(reports, result)
		told := done(Outcome{result, asking})
		if err := cmp.Or(writeReports(folder, result), s.writeCombined(reports)); err != nil && unsaved == nil {
			unsaved = &UnsavedError{folder, err}
		}
		if told != nil || ctx.Err() != nil {
			return errors.Join(told, unsaved)
		}
	}
	return unsaved
}

// The names of reports' files, without their extensions.
const (
	reportName   = "report"
	combinedName = "combined"
)

// ReportPath is where a run's report of a format is kept: in its folder, and beside a journal that has none under that one's name.
func ReportPath(run, ext string) string {
	file := journal.File(run)
	if filepath.Base(file) == journal.FileName {
		return filepath.Join(filepath.Dir(file), reportName+ext)
	}
	return strings.TrimSuffix(file, filepath.Ext(file)) + "." + reportName + ext
}

// writeReports puts the reports that people and programs read first beside a run's journal, each whole or not at all.
func writeReports(folder string, result *metrics.Summary) error {
	return writeFormats(func(ext string) string { return ReportPath(folder, ext) }, report.Full, result)
}

// writeCombined puts what several tasks come to together above their folders.
func (s *Session) writeCombined(reports []*metrics.Summary) error {
	together := combine.Of(reports)
	if together == nil {
		return nil
	}
	return writeFormats(func(ext string) string { return filepath.Join(s.Out, combinedName+ext) }, report.CombinedFormats, together)
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
