package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/cmd/proctor/console"
	"proctor/runner/ask"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report"
	"proctor/runner/report/table"
)

// An ending is how one task of a run ended.
type ending int

const (
	complete    ending = iota // every item has a completion
	decided                   // its stopping rule ended it
	short                     // items lack a completion
	interrupted               // by a signal, before everything was asked
	gone                      // the backend or the disk failed before everything was asked
	unwritten                 // its reports can't be written; its journal is complete
)

// An outcome is the result of one task: its ending, the reason, and its figures.
type outcome struct {
	ending
	err    error
	report *metrics.Summary
}

// outcomeOf is the outcome of a task that was asked. saved is why its reports could not be written, nil if they were.
func outcomeOf(ctx context.Context, ended ask.Outcome, r *metrics.Summary, saved error) outcome {
	switch {
	case ended.Err != nil && errors.Is(context.Cause(ctx), console.ErrInterrupted):
		return outcome{interrupted, console.ErrInterrupted, r}
	case ended.Err != nil:
		return outcome{gone, ended.Err, r}
	case saved != nil:
		return outcome{unwritten, saved, r}
	case !r.Completeness.Complete:
		return outcome{short, nil, r}
	case r.Sequential != nil && r.Sequential.Stopped == journal.StopDecided:
		return outcome{decided, nil, r}
	}
	return outcome{complete, nil, r}
}

// verdict returns the error for the exit code and the person; nil if all is well. failBelow is a gate, nil for none; resumeCommand resumes
// the run.
func (o outcome) verdict(failBelow *float64, resumeCommand string) error {
	switch o.ending {
	case interrupted:
		return fmt.Errorf("%w; to resume: %s", o.err, resumeCommand)
	case gone:
		return fmt.Errorf("%w: %w; what was answered is kept; to resume: %s", console.ErrIncomplete, o.err, resumeCommand)
	case unwritten:
		return fmt.Errorf("%w: the answers are kept, but not the reports: %w; to write them once the cause is mended: %s",
			console.ErrIncomplete, o.err, resumeCommand)
	case short:
		return fmt.Errorf("%w: %s without a completion; to ask again: %s", console.ErrIncomplete,
			format.Several(o.report.Completeness.Lacks(), "item"), resumeCommand)
	}
	if failBelow == nil {
		return nil
	}
	score, gate := o.report.Headline, "--fail-below "+format.TypedShare(*failBelow)
	switch {
	case !o.report.Validity.Valid:
		return fmt.Errorf("%w: %s: %s", console.ErrInvalid, gate, o.report.Validity)
	case score.CI.IsZero():
		return fmt.Errorf("%w: %s has no lower bound to compare with %s: %s; give a higher --limit", console.ErrGate, score.Name, gate,
			format.TooFew)
	case score.CI.Low < *failBelow:
		return fmt.Errorf("%w: the lower bound of %s, %s, is below %s", console.ErrGate, score.Name, format.Percent(stats.Of(score.CI.Low)), gate)
	}
	return nil
}

// results are the outcomes of a run's tasks, each marked and reported.
type results struct {
	*console.Program
	session       *ask.Session
	format        report.Format
	failBelow     *float64
	resumeCommand func(folder string) string // the command line that resumes the run in a folder

	reports  []*metrics.Summary
	outcomes []outcome
	unsaved  bool // some reports could not be written
}

// add marks a task and writes its reports. Reports that can't be written don't keep later tasks from being asked.
func (r *results) add(ctx context.Context, ended ask.Outcome) error {
	result, err := metrics.Open(ended.Folder, metrics.Options{})
	if err != nil {
		return errors.Join(ended.Err, err)
	}
	r.reports = append(r.reports, result)
	saved := report.Save(ended.Folder, result)
	if saved == nil && len(r.reports) > 1 {
		var t *table.Table
		if t, saved = new(tableOptions).of([][]*metrics.Summary{r.reports}, r.session.Out, false); saved == nil {
			saved = report.SaveTable(r.session.Out, t)
		}
	}
	r.unsaved = r.unsaved || saved != nil
	r.outcomes = append(r.outcomes, outcomeOf(ctx, ended, result, saved))
	if report.InOneDocument(r.format) {
		return nil
	}
	return r.format.Write(r.Stdout, result)
}

// end returns the errors of all tasks. stopped is why some tasks were not asked.
func (r *results) end(stopped error) error {
	resumeCommand := r.resumeCommand(r.session.Out)
	var verdicts []error
	for _, o := range r.outcomes {
		verdict := o.verdict(r.failBelow, resumeCommand)
		if verdict != nil && !slices.ContainsFunc(verdicts, func(told error) bool { return told.Error() == verdict.Error() }) {
			verdicts = append(verdicts, verdict)
		}
	}
	return errors.Join(append(verdicts, r.stopped(stopped, len(verdicts) > 0, resumeCommand))...)
}

// whole says whether every task was asked and its reports were written.
func (r *results) whole(stopped error) bool {
	return len(r.reports) > 0 && stopped == nil && !r.unsaved
}

// write writes the tasks' common output to standard output.
func (r *results) write() error {
	one := report.InOneDocument(r.format)
	switch n := len(r.reports); {
	case n == 0 || n == 1 && !one:
		return nil
	case n == 1:
		return r.format.Write(r.Stdout, r.reports[0])
	}
	t, err := new(tableOptions).of([][]*metrics.Summary{r.reports}, r.session.Out, false)
	if err != nil {
		return err
	}
	return writeTogether(r.Stdout, r.format, r.reports, t)
}

// writeTogether writes the common document of several reports or, if the format has none, only their table.
func writeTogether(to io.Writer, format report.Format, reports []*metrics.Summary, t *table.Table) error {
	if report.InOneDocument(format) {
		return report.WriteSeveral(to, format, reports, t)
	}
	return report.WriteTable(to, format, t)
}

// stopped says why some tasks of a run were not asked, and how to resume it, unless a task's verdict told that.
func (r *results) stopped(why error, told bool, resumeCommand string) error {
	if lost := (*journal.LostError)(nil); errors.As(why, &lost) {
		return r.lost(lost, why, resumeCommand)
	}
	if errors.Is(why, console.ErrInterrupted) && !told {
		return fmt.Errorf("%w; to resume: %s", console.ErrInterrupted, resumeCommand)
	}
	return why
}

// lost says how to resume a run whose journal was deleted.
func (r *results) lost(lost *journal.LostError, err error, resumeCommand string) error {
	if lost.Err != nil {
		return fmt.Errorf("%w: %w", console.ErrIncomplete, err)
	}
	folder, file := filepath.Dir(lost.Path), filepath.Base(lost.Path)
	if lost.Replaced {
		folder, file = strings.TrimSuffix(lost.Saved, filepath.Ext(lost.Saved)), journal.FileName
		resumeCommand = r.resumeCommand(folder)
	}
	return fmt.Errorf("%w: %w; to resume: %s && %s && %s", console.ErrIncomplete, err, setting.Command("mkdir", "-p", folder),
		setting.Command("mv", lost.Saved, filepath.Join(folder, file)), resumeCommand)
}

// saved prints the folder with the answers and reports, and its file for a browser.
func saved(p *console.Program, folder string, all []*metrics.Summary) {
	line := "saved in " + folder
	if slices.ContainsFunc(all, func(s *metrics.Summary) bool { return s.Items > 0 }) {
		file := filepath.Base(report.Path(folder, ".html"))
		if len(all) > 1 {
			file = "table.html"
		}
		line += "; " + file + " is for a browser"
	}
	p.Note(line)
}
