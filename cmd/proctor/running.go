package main

import (
	"sync"
	"time"

	"proctor/cmd/proctor/console"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
)

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
