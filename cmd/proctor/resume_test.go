package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends/embedded"
	"proctor/cmd/proctor/console"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/sharedtest"
)

// Long enough to be stopped half-way, and with one slot, so that every text is reproducible.
var slowRun = []string{"run", "--quiet", "--threads", "1", "--slots", "1", "--limit", "28", "--shots", "2", "--max-tokens", "200",
	"--format", "json", "--out"}

// TestAnInterruptedRunIsWholeAndSaysHowToGoOn types Ctrl-C, closes the terminal, and ends the program's `timeout`,
// which then does what it does when the time is over: it signals the program, and the group that the program is in.
func TestAnInterruptedRunIsWholeAndSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	// A program inherits ignored signals, as under nohup, but not handlers.
	awaited := make(chan os.Signal, 1)
	signal.Notify(awaited, syscall.SIGHUP)
	defer signal.Stop(awaited)
	for ends, under := range map[os.Signal][]string{os.Interrupt: nil, syscall.SIGHUP: nil, syscall.SIGTERM: {"timeout",
		"3h"}} {
		if _, err := exec.LookPath("timeout"); err != nil && under != nil {
			continue
		}
		folder := filepath.Join(t.TempDir(), "run")
		cmd, stdout, stderr := begin(t, folder, slowRun, someItems, under...)
		assert.NilError(t, cmd.Process.Signal(ends))
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != console.ExitInterrupted {
			t.Fatalf("%s: exit code %d, want %d; stderr:\n%s", ends, code, console.ExitInterrupted, stderr)
		}
		assert.Check(t, strings.Contains(stderr.String(), "to resume: ") && strings.Contains(stderr.String(), "--resume"),
			"%s: stderr does not say how to go on:\n%s", ends, stderr)
		partial, kept := reportOf(t, stdout.Bytes()), loaded(t, folder)
		assert.Check(t, len(kept.Warnings) == 0 && partial["items"] == float64(len(kept.Records)) && len(kept.Records) != 28,
			"%s: journal of %d items with warnings %v, report of %v items", ends, len(kept.Records), kept.Warnings, partial["items"])
		run(t, append(slowRun, folder, "--resume")...)
		after := lines(t, folder)
		assert.Check(t, len(after) == 29, "%s: %d lines after the resume, want 29", ends, len(after))
	}
}

// someItems says whether a journal has a few items.
func someItems(journal []byte) bool { return bytes.Count(journal, []byte("\n")) > 3 }

// beginAndKill starts a run with these arguments and the folder, and kills it once its journal is far enough.
func beginAndKill(t *testing.T, folder string, args []string, far func(journal []byte) bool) {
	t.Helper()
	cmd, _, _ := begin(t, folder, args, far)
	assert.NilError(t, cmd.Process.Kill())
	cmd.Wait()
}

// begin starts a run with these arguments and the folder, maybe under another program, and returns once its journal is
// far enough.
func begin(t *testing.T, folder string, args []string, far func(journal []byte) bool, under ...string) (cmd *exec.Cmd,
	stdout, stderr *lockedBuffer) {
	t.Helper()
	stdout, stderr = &lockedBuffer{}, &lockedBuffer{}
	words := slices.Concat(under, []string{"proctor"}, args, []string{folder})
	cmd = exec.Command(words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	assert.NilError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	waitUntil(t, "its journal is as far", func() bool {
		content, _ := os.ReadFile(filepath.Join(folder, journal.FileName))
		return far(content)
	})
	return cmd, stdout, stderr
}

// waitUntil polls until the condition holds.
func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !holds(); time.Sleep(time.Millisecond) {
		assert.Assert(t, !time.Now().After(deadline), "it does not come to this: %s", what)
	}
}

// A lockedBuffer holds a process's output, and can be read while the process writes.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// run runs proctor, requires success, and returns its standard output.
func run(t *testing.T, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("proctor", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("proctor %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return out
}

// reportOf reads a JSON report without the parts that depend on the clock.
func reportOf(t *testing.T, content []byte) map[string]any {
	t.Helper()
	var report map[string]any
	if err := json.Unmarshal(content, &report); err != nil {
		t.Fatalf("%v in\n%s", err, content)
	}
	delete(report, "speed")
	ofSpeed := func(warning any) bool { return warning.(map[string]any)["about"] == "speed" } // what was reused, and other programs
	report["warnings"] = slices.DeleteFunc(report["warnings"].([]any), ofSpeed)
	delete(report["run"].(map[string]any), "created")
	delete(report["backend"].(map[string]any), "multiplying") // each process measures which levels are fastest
	for _, subject := range report["subjects"].([]any) {
		maps.DeleteFunc(subject.(map[string]any), func(key string, _ any) bool { return strings.HasPrefix(key, "seconds_") })
	}
	return report
}

// lines are a journal's lines without parts of answers, whose number depends on how long the run took.
func lines(t *testing.T, folder string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, journal.FileName))
	assert.NilError(t, err)
	all := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	return slices.DeleteFunc(all, func(line string) bool { return strings.HasPrefix(line, `{"kind":"partial"`) })
}

func compareTexts(t *testing.T, a, b string) {
	t.Helper()
	records := byID(loaded(t, a))
	for _, record := range loaded(t, b).Records {
		assert.Check(t, is.Equal(records[record.ID].Text, record.Text), record.ID)
	}
}

func loaded(t *testing.T, folder string) *journaltest.Journal {
	t.Helper()
	run, err := journaltest.Load(folder)
	assert.NilError(t, err)
	return run
}

// modelPath is the file of the control model.
func modelPath(t *testing.T) string {
	t.Helper()
	path, err := embedded.File()
	assert.NilError(t, err)
	return path
}

// TestARunOfEveryFormIsExtended checks in all forms that the preamble of a subject does not depend on the questions that are drawn.
func TestARunOfEveryFormIsExtended(t *testing.T) {
	sharedtest.NeedThorough(t)
	ofOne, ofTwo := []string{"1", "2"}, []string{"3", "8"}
	for name, c := range map[string]struct{ flags, limits []string }{
		"raw":            {[]string{"--prompt", "raw"}, ofTwo},
		"chat":           {[]string{"--prompt", "chat"}, ofTwo},
		"turns":          {[]string{"--prompt", "turns"}, ofTwo},
		"auto":           {[]string{"--prompt", "auto"}, ofTwo},
		"one of each":    {[]string{"--prompt", "chat"}, []string{"1/subject", "2/subject"}},
		"direct":         {[]string{"--direct"}, ofTwo},
		"direct chat":    {[]string{"--direct", "--prompt", "chat"}, ofTwo},
		"binary":         {[]string{"--tasks", "mmlu_pro_binary_math"}, ofOne},
		"binary chat":    {[]string{"--tasks", "mmlu_pro_binary_math", "--prompt", "chat"}, ofOne},
		"circular":       {[]string{"--tasks", "mmlu_pro_circular_math"}, ofOne},
		"circular turns": {[]string{"--tasks", "mmlu_pro_circular_math", "--prompt", "turns"}, ofOne},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			whole, grown := filepath.Join(folder, "whole"), filepath.Join(folder, "grown")
			common := slices.Concat([]string{"run", "--quiet", "--seed", "3", "--shots", "1", "--threads", "1", "--slots", "1"}, c.flags)
			if !slices.Contains(c.flags, "--tasks") {
				common = append(common, "--subjects", "law,math")
			}
			if !slices.Contains(c.flags, "--direct") {
				common = append(common, "--max-tokens", "8")
			}
			run(t, slices.Concat(common, []string{"--limit", c.limits[1], "--out", whole})...)
			run(t, slices.Concat(common, []string{"--limit", c.limits[0], "--out", grown})...)
			run(t, "run", "--quiet", "--resume", grown, "--limit", c.limits[1])
			a, b := loaded(t, whole), loaded(t, grown)
			assert.Check(t, a.Header.Fingerprint == b.Header.Fingerprint && len(a.Records) == len(b.Records),
				"fingerprints %s and %s, %d and %d items", a.Header.Fingerprint, b.Header.Fingerprint, len(a.Records),
				len(b.Records))
			for subject, text := range b.Header.Preambles {
				assert.Check(t, len(text) >= 100, "%s: only %q is shared", subject, text)
			}
			compareTexts(t, whole, grown)
		})
	}
}
