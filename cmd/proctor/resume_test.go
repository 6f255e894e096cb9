package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"proctor/cmd/proctor/console"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// Long enough to be stopped half-way, and one slot, so that every text is reproducible.
var slowRun = []string{"run", "--quiet", "--threads", "1", "--slots", "1", "--limit", "42", "--max-tokens", "300", "--format", "json",
	"--out"}

func TestAKilledRunResumesToTheSameReport(t *testing.T) {
	folder := t.TempDir()
	whole, killed := filepath.Join(folder, "whole"), filepath.Join(folder, "killed")
	want := reportOf(t, run(t, append(slowRun, whole)...))

	cmd, _, _ := beginSlow(t, killed)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	answered := lines(t, killed)
	got := reportOf(t, run(t, append(slowRun, killed, "--resume")...))

	if !reflect.DeepEqual(got, want) {
		t.Errorf("the resumed run's report differs from the uninterrupted run's:\n%v\n%v", got, want)
	}
	if after := lines(t, killed); len(after) != 43 || !slices.Equal(after[:len(answered)-1], answered[:len(answered)-1]) {
		t.Errorf("%d lines after the resume, want the header and 42 items, beginning with the %d there were", len(after), len(answered))
	}
	compareTexts(t, whole, killed)
}

func TestAnInterruptedRunIsWholeAndSaysHowToGoOn(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	cmd, stdout, stderr := beginSlow(t, folder)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != console.ExitInterrupted {
		t.Fatalf("exit code %d, want %d; stderr:\n%s", code, console.ExitInterrupted, stderr)
	}
	if !strings.Contains(stderr.String(), "to go on: ") || !strings.Contains(stderr.String(), "--resume") {
		t.Errorf("stderr does not say how to go on:\n%s", stderr)
	}
	partial := reportOf(t, stdout.Bytes())
	kept, err := journaltest.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept.Warnings) > 0 || partial["items"] != float64(len(kept.Records)) || len(kept.Records) == 42 {
		t.Errorf("journal of %d items with warnings %v, report of %v items", len(kept.Records), kept.Warnings, partial["items"])
	}
	run(t, append(slowRun, folder, "--resume")...)
	if after := lines(t, folder); len(after) != 43 {
		t.Errorf("%d lines after the resume, want 43", len(after))
	}
}

func TestResumingUnderOtherSettingsNamesTheField(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	short := []string{"run", "--quiet", "--threads", "1", "--limit", "1", "--max-tokens", "16", "--shots", "1", "--out", folder}
	run(t, short...)
	for flag, field := range map[string]string{"--shots=2": "shots", "--max-tokens=17": "sampling.max_tokens",
		"--seed=5": "selection.seed"} {
		out, err := exec.Command("proctor", append(short, "--resume", flag)...).CombinedOutput()
		if code := err.(*exec.ExitError).ExitCode(); code != console.ExitUsage || !bytes.Contains(out, []byte(field+" (journal: ")) {
			t.Errorf("resuming with %s: exit code %d, output %s", flag, code, out)
		}
	}
	out, err := exec.Command("proctor", short...).CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("there is a journal already")) {
		t.Errorf("starting over an existing run: %v, output %s", err, out)
	}
}

// beginSlow starts slowRun and returns once a few items are in its journal.
func beginSlow(t *testing.T, folder string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	return begin(t, folder, slowRun, func(journal []byte) bool { return bytes.Count(journal, []byte("\n")) > 3 })
}

// begin starts a run with these arguments and the folder, and returns once its journal is as far as wanted.
func begin(t *testing.T, folder string, args []string, far func(journal []byte) bool) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	cmd = exec.Command("proctor", slices.Concat(args, []string{folder})...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		content, _ := os.ReadFile(filepath.Join(folder, journal.FileName))
		if far(content) {
			return cmd, stdout, stderr
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	t.Fatalf("no items within a minute; stderr:\n%s", stderr)
	return nil, nil, nil
}

// run runs proctor to a good end and returns its standard output.
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

// reportOf reads a JSON report without what depends on the clock.
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
	for _, subject := range report["subjects"].([]any) {
		maps.DeleteFunc(subject.(map[string]any), func(key string, _ any) bool { return strings.HasPrefix(key, "seconds_") })
	}
	return report
}

func lines(t *testing.T, folder string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
}

func compareTexts(t *testing.T, a, b string) {
	t.Helper()
	texts := map[string]string{}
	for i, folder := range []string{a, b} {
		run, err := journaltest.Load(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range run.Records {
			if i == 0 {
				texts[record.ID] = record.Text
			} else if texts[record.ID] != record.Text {
				t.Errorf("%s: %q and %q", record.ID, texts[record.ID], record.Text)
			}
		}
	}
}
