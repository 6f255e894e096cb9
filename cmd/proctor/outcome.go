package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

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

// results are the reports of a matrix of runs, and what went wrong.
type results struct {
	*console.Program
	matrix    *ask.Matrix
	format    report.Format
	failBelow *float64
	resume    func(folder string) string // the command line that resumes the runs in a folder

	runs   [][]*metrics.Summary // of each cell that was begun, its tasks'
	failed []error
	whole  bool // every task was asked, and its reports were written
}

// verdict returns the error of a task that was asked, for the exit code and the person; nil if all is well. saved is
// why its reports could not be written, nil if they were.
func (r *results) verdict(ctx context.Context, ended ask.Outcome, result *metrics.Summary, saved error) error {
	resume, incomplete := r.resume(r.matrix.Folder), console.ErrIncomplete
	if ended.Err != nil && errors.Is(context.Cause(ctx), console.ErrInterrupted) {
		return fmt.Errorf("%w; to resume: %s", console.ErrInterrupted, resume)
	}
	if ended.Err != nil {
		return fmt.Errorf("%w: %w; what was answered is kept; to resume: %s", incomplete, ended.Err, resume)
	}
	if saved != nil {
		return fmt.Errorf("%w: the answers are kept, but not the reports: %w; to write them once the cause is mended: %s",
			incomplete, saved, resume)
	}
	if !result.Completeness.Complete {
		return fmt.Errorf("%w: %s without a completion; to ask again: %s", incomplete,
			format.Several(result.Completeness.Lacks(), "item"), resume)
	}
	if r.failBelow == nil {
		return nil
	}
	score, gate := result.Headline, "--fail-below "+format.TypedShare(*r.failBelow)
	if !result.Validity.Valid {
		return fmt.Errorf("%w: %s: %s", console.ErrInvalid, gate, result.Validity)
	}
	if score.CI.IsZero() {
		return fmt.Errorf("%w: %s has no lower bound to compare with %s: %s; give a higher --limit", console.ErrGate,
			score.Name, gate, format.TooFew)
	}
	if score.CI.Low < *r.failBelow {
		return fmt.Errorf("%w: the lower bound of %s, %s, is below %s", console.ErrGate, score.Name,
			format.Percent(stats.Of(score.CI.Low)), gate)
	}
	return nil
}

// add marks a task of the cell that was begun last, and writes its reports. Reports that can't be written keep no later
// task from being asked.
func (r *results) add(ctx context.Context, ended ask.Outcome) error {
	result, err := metrics.Open(ended.Folder, metrics.Options{})
	if err != nil {
		return errors.Join(ended.Err, err)
	}
	cell := &r.matrix.Cells[len(r.runs)-1]
	tasks := &r.runs[len(r.runs)-1]
	*tasks = append(*tasks, result)
	saved := report.Save(ended.Folder, result)
	for folder, runs := range map[string][][]*metrics.Summary{cell.Out: {*tasks}, r.matrix.Folder: r.runs} {
		if len(slices.Concat(runs...)) < 2 || saved != nil {
			continue
		}
		var t *table.Table
		if t, saved = new(tableOptions).of(runs, folder, false); saved == nil {
			saved = report.SaveTable(folder, t)
		}
	}
	r.whole = r.whole && saved == nil
	r.fail(r.verdict(ctx, ended, result, saved))
	if report.InOneDocument(r.format) {
		return nil
	}
	return r.format.Write(r.Stdout, result)
}

// fail notes an error of the cell that was begun last, unless it was told already.
func (r *results) fail(err error) {
	if err != nil && !slices.ContainsFunc(r.failed, func(told error) bool { return told.Error() == err.Error() }) {
		r.failed = append(r.failed, err)
	}
}

// stop notes why a cell, or tasks of it, were not asked; nil for no such reason. over says that no other cell can be
// asked either.
func (r *results) stop(ctx context.Context, err error) (over bool) {
	cell, resume := &r.matrix.Cells[len(r.runs)-1], r.resume(r.matrix.Folder)
	r.whole = r.whole && err == nil
	if errors.Is(context.Cause(ctx), console.ErrInterrupted) {
		if _, none := journal.HeaderOf(cell.Out); none != nil && cell.Name == "" {
			r.fail(fmt.Errorf("%w before anything was asked: there is nothing to resume", console.ErrInterrupted))
		} else if err != nil || len(r.runs) < len(r.matrix.Cells) {
			r.whole = false
			r.fail(fmt.Errorf("%w; to resume: %s", console.ErrInterrupted, resume))
		}
		return true
	}
	lost := (*journal.LostError)(nil)
	if err == nil {
		return false
	}
	if !errors.As(err, &lost) {
		if cell.Name != "" {
			err = fmt.Errorf("%w: %s: %w; to resume: %s", console.ErrIncomplete, filepath.Base(cell.Out), err, resume)
		}
		r.fail(err)
		return false
	}
	if lost.Err != nil {
		r.fail(fmt.Errorf("%w: %w", console.ErrIncomplete, err))
		return true
	}
	folder, file := filepath.Dir(lost.Path), filepath.Base(lost.Path)
	if lost.Replaced {
		folder, file = strings.TrimSuffix(lost.Saved, filepath.Ext(lost.Saved)), journal.FileName
		resume = r.resume(folder)
	}
	r.fail(fmt.Errorf("%w: %w; to resume: %s && %s && %s", console.ErrIncomplete, err,
		setting.Command("mkdir", "-p", folder), setting.Command("mv", lost.Saved, filepath.Join(folder, file)), resume))
	return true
}

// end writes what all runs have in common to standard output, and returns all that went wrong.
func (r *results) end() error {
	all, one := slices.Concat(r.runs...), report.InOneDocument(r.format)
	var written error
	if len(all) > 1 { // in one document or, if the format has none, their table
		var t *table.Table
		if t, written = new(tableOptions).of(r.runs, r.matrix.Folder, false); written == nil && one {
			written = report.WriteSeveral(r.Stdout, r.format, all, t)
		} else if written == nil {
			written = report.WriteTable(r.Stdout, r.format, t)
		}
	} else if len(all) == 1 && one {
		written = r.format.Write(r.Stdout, all[0])
	}
	if r.whole && len(all) > 0 && written == nil {
		line := "saved in " + r.matrix.Folder
		if slices.ContainsFunc(all, func(s *metrics.Summary) bool { return s.Items > 0 }) {
			file := filepath.Base(report.Path(r.matrix.Folder, ".html"))
			if len(all) > 1 {
				file = "table.html"
			}
			line += "; " + file + " is for a browser"
		}
		r.Note(line)
	}
	return errors.Join(append(r.failed, written)...)
}

// A report.html of a running task is written again after leastPause at least, and after pauseShare times as long as
// writing it took: that may not slow the run down.
const (
	leastPause = 30 * time.Second
	pauseShare = 100
)

// A runningReport writes report.html again and again while a task lasts, for a browser that follows it.
type runningReport struct {
	*console.Program
	ended   chan struct{}
	writing sync.WaitGroup
}

// begin starts to write the report of the task in a folder. What can't be written is told once, and stops nothing.
func (r *runningReport) begin(folder string) {
	ended := make(chan struct{})
	r.ended = ended
	r.writing.Go(func() {
		written, failed := false, false
		for pause := leastPause; ; {
			select {
			case <-ended:
				return
			case <-time.After(pause):
			}
			began := time.Now()
			figures, err := metrics.Open(folder, metrics.Options{})
			if err == nil {
				err = report.SaveRunning(folder, figures, pause)
			}
			if pause = max(leastPause, pauseShare*time.Since(began)); err == nil && !written {
				r.Note(report.Path(folder, ".html") + " follows the run in a browser")
			}
			if err != nil && !failed {
				r.Warn("report.html does not follow the run: " + err.Error())
			}
			written, failed = written || err == nil, failed || err != nil
		}
	})
}

// end waits until nothing is written any more. It may be called again.
func (r *runningReport) end() {
	if r.ended != nil {
		close(r.ended)
		r.ended = nil
	}
	r.writing.Wait()
}
