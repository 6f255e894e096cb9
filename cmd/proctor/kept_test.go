package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"proctor/cmd/proctor/console"
)

// TestARunWhoseJournalIsDeletedStopsAndCanGoOn follows what the run says to do.
func TestARunWhoseJournalIsDeletedStopsAndCanGoOn(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	slow := append([]string{}, slowRun...)
	slow[7] = "168" // questions: far more than it asks in the second until it looks
	cmd, _, stderr := begin(t, folder, slow, func(journal []byte) bool { return strings.Count(string(journal), "\n") > 3 })
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	cmd.Wait()
	said := stderr.String()
	if code := cmd.ProcessState.ExitCode(); code != console.ExitIncomplete || !strings.Contains(said, "was deleted while the run wrote it") {
		t.Fatalf("exit code %d after %s; stderr:\n%s", code, time.Since(began), said)
	}
	_, goOn, _ := strings.Cut(strings.TrimSpace(said), "to go on: ")
	goOn, _, _ = strings.Cut(goOn, " && "+cmd.Args[0]+" run")
	if out, err := exec.Command("sh", "-c", goOn).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", goOn, err, out)
	}
	saved := len(lines(t, folder)) - 1
	if saved < 3 || saved > 150 {
		t.Errorf("%d of 168 items are saved", saved)
	}
	if run(t, append(slow, folder, "--resume")...); len(lines(t, folder)) != 169 {
		t.Errorf("%d lines after the resume", len(lines(t, folder)))
	}
}

// TestAFullDiskHidesNoResult has the reports find no room: a folder lies where one of them belongs.
func TestAFullDiskHidesNoResult(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	if err := os.MkdirAll(filepath.Join(folder, "report.json", "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("proctor", "run", "--quiet", "--threads", "1", "--limit", "2", "--max-tokens", "16", "--shots", "1",
		"--out", folder)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, _ := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != console.ExitIncomplete {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(string(out), "2 questions") {
		t.Errorf("stdout is %q", out)
	}
	if !strings.Contains(stderr.String(), "to write them once the cause is mended: ") || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("stderr is %q", stderr.String())
	}
}
