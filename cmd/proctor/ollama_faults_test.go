package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"proctor/backends"
	"proctor/cmd/proctor/console"
	"proctor/runner/journal/journaltest"
)

// servedRun asks a server for long enough to lose it half-way.
var servedRun = []string{"run", "--model", "ollama:control", "--concurrency", "2", "--threads", "1", "--limit", "42",
	"--max-tokens", "300", "--out"}

func someItems(journal []byte) bool { return bytes.Count(journal, []byte("\n")) > 3 }

func TestARunOutlivesItsServer(t *testing.T) {
	server := control(t, 2)
	folder := filepath.Join(t.TempDir(), "run")
	cmd, _, stderr := begin(t, folder, servedRun, someItems)
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Second)
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	answeredOnce(t, folder)
	if !strings.Contains(stderr.String(), "does not answer") {
		t.Errorf("stderr does not tell of the outage:\n%s", stderr)
	}
}

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

func TestTwoServersOneOfWhichIsKilled(t *testing.T) {
	first, second := control(t, 1), control(t, 1)
	folder := filepath.Join(t.TempDir(), "run")
	args := slices.Concat([]string{"run", "--ollama-hosts", first.Host() + "," + second.Host()}, servedRun[1:])
	args[slices.Index(args, "--concurrency")+1] = "1" // at each
	cmd, _, stderr := begin(t, folder, args, func(journal []byte) bool {
		return bytes.Contains(journal, []byte(`"server":"`+first.Host())) && bytes.Contains(journal, []byte(`"server":"`+second.Host()))
	})
	if err := second.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	run := answeredOnce(t, folder)
	if !slices.Equal(run.Header.Backend.Servers, []string{first.Host(), second.Host()}) {
		t.Errorf("the journal names the servers %v", run.Header.Backend.Servers)
	}
}

// answeredOnce demands that each of the 42 items has one line, with an answer.
func answeredOnce(t *testing.T, folder string) *journaltest.Journal {
	t.Helper()
	run := loaded(t, folder)
	if n := len(lines(t, folder)); n != 43 || len(run.Records) != 42 {
		t.Errorf("%d lines for %d items, want the header and 42", n, len(run.Records))
	}
	for _, r := range run.Records {
		if r.Finish == backends.FinishError {
			t.Errorf("%s: %s", r.ID, r.Error)
		}
	}
	return run
}
