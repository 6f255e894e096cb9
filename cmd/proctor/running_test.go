package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"

	"proctor/cmd/proctor/console"
	"proctor/runner/ask"
	"proctor/runner/journal/journaltest"
	"proctor/runner/report"
)

func TestAReportIsWrittenWhileItsRunLasts(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	for name, c := range map[string]struct {
		file, told string
	}{
		"written":     {"report.html", "follows the run in a browser"},
		"not written": {filepath.Join("report.html", "in the way"), "warning: report.html does not follow the run: "},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			file := filepath.Join(folder, c.file)
			journaltest.Keep(t, filepath.Join(folder, "journal.jsonl"), h, records)
			if name != "written" {
				assert.NilError(t, os.MkdirAll(file, 0o755))
			}
			var told bytes.Buffer
			synctest.Test(t, func(t *testing.T) {
				r := &runningReport{Program: &console.Program{Stderr: &told, Now: time.Now}}
				r.begin(folder)
				time.Sleep(leastPause - time.Second)
				synctest.Wait()
				assert.Check(t, told.Len() == 0, "told before a pause has passed: %q", told.String())
				time.Sleep(10 * leastPause)
				r.end()
				r.end()
			})
			assert.Check(t, strings.Count(told.String(), "\n") == 1 &&
				strings.Contains(told.String(), c.told), "told %q", told.String())
			_, err := os.Stat(file)
			assert.NilError(t, err)
		})
	}
}

func TestAReportThatIsNotWrittenIsNotSaidToBeThere(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	for _, stopped := range []error{nil, errors.New("no space left on device")} {
		folder := t.TempDir()
		journaltest.Keep(t, filepath.Join(folder, "journal.jsonl"), h, records)
		assert.NilError(t, os.MkdirAll(filepath.Join(folder, "report.html", "in the way"), 0o755))
		m := &ask.Matrix{Cells: make([]ask.Cell, 1)}
		m.Place(folder)
		r := results{Program: &console.Program{Stdout: new(bytes.Buffer)}, matrix: m, format: report.Formats[0], whole: true,
			resume: func(string) string { return "proctor run --resume" }}
		r.runs = append(r.runs, nil)
		assert.NilError(t, r.add(t.Context(), ask.Outcome{Folder: folder, Err: stopped}))
		assert.Check(t, !r.stop(t.Context(), nil) && !r.whole, "stopped by %v, it is whole", stopped)
	}
}
