package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/cmd/proctor/console"
)

// servedRun asks a server for long enough to lose it half-way.
var servedRun = []string{"run", "--model", "ollama:control", "--concurrency", "2", "--threads", "1", "--limit", "21",
	"--shots", "1", "--max-tokens", "60", "--out"}

func TestARunOutlivesItsServer(t *testing.T) {
	server := control(t, 2)
	folder := filepath.Join(t.TempDir(), "run")
	cmd, _, stderr := begin(t, folder, servedRun, someItems)
	assert.NilError(t, server.Kill())
	waitUntil(t, "the run says that the server is gone", func() bool { return strings.Contains(stderr.String(), "does not answer") })
	assert.NilError(t, server.Restart(t.Context()))
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	if n, failed := len(lines(t, folder)), failedIn(t, folder); n != 22 || failed > 0 {
		t.Errorf("%d lines, want the header and 21 items; %d of them failed", n, failed)
	}
}

func TestAServerGoneForGoodLeavesARunToGoOnWith(t *testing.T) {
	server := control(t, 2)
	folder := filepath.Join(t.TempDir(), "run")
	cmd, _, stderr := begin(t, folder, slices.Concat([]string{"run", "--timeout", "10s"}, servedRun[1:]), someItems)
	assert.NilError(t, server.Kill())
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != console.ExitIncomplete || !strings.Contains(stderr.String(), "to ask again: ") {
		t.Fatalf("exit code %d, want %d; stderr:\n%s", code, console.ExitIncomplete, stderr)
	}
	failed := failedIn(t, folder)
	if n := len(loaded(t, folder).Records); n != 21 || failed == 0 || failed == 21 {
		t.Fatalf("%d items in the journal, %d of them failed", n, failed)
	}
	assert.NilError(t, server.Restart(t.Context()))
	out, err := exec.Command("proctor", "run", "--resume", folder).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "2 requests in flight") { // as before
		t.Fatalf("resuming: %v\n%s", err, out)
	}
	if again := failedIn(t, folder); again > 0 {
		t.Errorf("%d items failed again", again)
	}
	if n, want := len(lines(t, folder)), 1+21+failed; n != want { // the failed ones only are asked again
		t.Errorf("%d lines after the resume, want %d", n, want)
	}
}

func TestTwoServersOneOfWhichIsKilled(t *testing.T) {
	first, second := control(t, 1), control(t, 1)
	folder := filepath.Join(t.TempDir(), "run")
	args := slices.Concat([]string{"run", "--servers", first.Host() + "," + second.Host()}, servedRun[1:])
	args[slices.Index(args, "--concurrency")+1] = "1" // at each
	cmd, _, stderr := begin(t, folder, args, func(journal []byte) bool {
		return bytes.Contains(journal, []byte(`"server":"`+first.Host())) && bytes.Contains(journal, []byte(`"server":"`+second.Host()))
	})
	assert.NilError(t, second.Kill())
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	if n, failed := len(lines(t, folder)), failedIn(t, folder); n != 22 || failed > 0 {
		t.Errorf("%d lines, want the header and 21 items; %d of them failed", n, failed)
	}
	if servers := loaded(t, folder).Header.Backend.Servers; !slices.Equal(servers, []string{first.Host(), second.Host()}) {
		t.Errorf("the journal names the servers %v", servers)
	}
}

// failedIn counts the items of a run that failed, each of which must be for want of a server.
func failedIn(t *testing.T, folder string) (failed int) {
	t.Helper()
	for _, r := range loaded(t, folder).Records {
		if r.Finish != backends.FinishError {
			continue
		}
		failed++
		if r.Cause != backends.CauseConnection && r.Cause != backends.CauseTimeout {
			t.Errorf("%s failed with cause %q: %s", r.ID, r.Cause, r.Error)
		}
	}
	return failed
}
