package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/cmd/proctor/console"
)

// servedRun asks a server for long enough to lose it half-way.
var servedRun = []string{"run", "--model", "ollama:control", "--concurrency", "2", "--threads", "1", "--limit", "42",
	"--max-tokens", "300", "--out"}

func TestAServerGoneForGoodLeavesARunToGoOnWith(t *testing.T) {
	server := control(t, 2)
	folder := filepath.Join(t.TempDir(), "run")
	cmd, stdout, stderr := begin(t, folder, append([]string{"run", "--timeout", "10s", "--format", "json"}, servedRun[1:]...), someItems)
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != console.ExitIncomplete || !strings.Contains(stderr.String(), "to ask again: ") {
		t.Fatalf("exit code %d, want %d; stderr:\n%s", code, console.ExitIncomplete, stderr)
	}
	partial := loaded(t, folder)
	answered := map[string]bool{}
	for _, r := range partial.Records {
		answered[r.ID] = r.Finish != backends.FinishError
		if !answered[r.ID] && r.Cause != backends.CauseConnection && r.Cause != backends.CauseTimeout {
			t.Errorf("%s failed with cause %q: %s", r.ID, r.Cause, r.Error)
		}
	}
	failed := reportOf(t, stdout.Bytes())["failure_counts"].(map[string]any)["ADAPTER_ERROR"].(float64)
	if n := len(partial.Records); n != 42 || failed == 0 || failed >= 42 {
		t.Fatalf("%d items in the journal, %v of them failed", n, failed)
	}

	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	resume := exec.Command("proctor", "run", "--model", "ollama:control", "--threads", "1", "--limit", "42", "--max-tokens", "300",
		"--resume", "--out", folder)
	out, err := resume.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("2 requests in flight")) { // as before
		t.Fatalf("resuming: %v\n%s", err, out)
	}
	whole := loaded(t, folder)
	for _, r := range whole.Records {
		if r.Finish == backends.FinishError {
			t.Errorf("%s failed again: %s", r.ID, r.Error)
		}
	}
	if n, want := len(lines(t, folder)), 1+42+int(failed); n != want { // the failed ones only are asked again
		t.Errorf("%d lines after the resume, want %d", n, want)
	}
}
