package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/cmd/proctor/console"
)

// TestARunWhoseJournalIsDeletedStopsAndCanGoOn follows what the run says to do.
func TestARunWhoseJournalIsDeletedStopsAndCanGoOn(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "run")
	slow := append([]string{}, slowRun...)
	slow[7] = "168" // questions: far more than it asks in the second until it looks
	cmd, _, stderr := begin(t, folder, slow, someItems)
	assert.NilError(t, os.RemoveAll(folder))
	began := time.Now()
	cmd.Wait()
	said := stderr.String()
	if code := cmd.ProcessState.ExitCode(); code != console.ExitIncomplete || !strings.Contains(said, "was deleted while the run wrote it") {
		t.Fatalf("exit code %d after %s; stderr:\n%s", code, time.Since(began), said)
	}
	_, goOn, _ := strings.Cut(strings.TrimSpace(said), "to go on: ")
	goOn, _, _ = strings.Cut(goOn, " && "+cmd.Args[0]+" run")
	out, err := exec.Command("sh", "-c", goOn).CombinedOutput()
	assert.Assert(t, err == nil, "%s: %v\n%s", goOn, err, out)
	saved := len(lines(t, folder)) - 1
	assert.Check(t, saved >= 3 && saved <= 150, "%d of 168 items are saved", saved)
	if run(t, append(slow, folder, "--resume")...); len(lines(t, folder)) != 169 {
		t.Errorf("%d lines after the resume", len(lines(t, folder)))
	}
}
