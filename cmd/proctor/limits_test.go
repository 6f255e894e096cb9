//go:build linux && !race

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLimitsOfTheProcessAreSaidInALine runs commands with little address space or stack, as set by ulimit: whatever the limit, they finish,
// or say in one line how much is needed. The race detector's own address space exceeds all limits here.
func TestLimitsOfTheProcessAreSaidInALine(t *testing.T) {
	t.Parallel()
	model := modelPath(t)
	folder := t.TempDir()
	against := filepath.Join(folder, "against")
	run(t, "run", "--quiet", "--limit", "3", "--shots", "0", "--max-tokens", "8", "--out", against)
	for _, test := range []struct {
		limit, code, says string
	}{
		{"-v 262144", "2", "proctor: ulimit -v is 262144 KiB, and this program needs 2097152 of address space"},
		{"-v 1048576", "2", "proctor: ulimit -v is 1048576 KiB, and this program needs 2097152 of address space"},
		{"-s 64", "2", "proctor: ulimit -s is 64 KiB, and this program needs 256 of stack"},
		{"-v 2150000", "2", "ulimit -v 2150000 leaves 0 B beside the program itself, and has to be "},
		{"-v 4194304", "0", ""},
		{"-s 256", "0", ""},
	} {
		for name, command := range map[string][]string{
			"run":   {"run", "--quiet", "--limit", "3", "--shots", "0", "--max-tokens", "8"},
			"bench": {"bench", "-p", "32", "-n", "4", "-r", "1"},
			"score": {"score", "--quiet", "embedded", "--against", against},
			"sweep": {"sweep", "--quiet", model, "--kv-type", "f16,q8_0", "--limit", "3", "--shots", "0", "--max-tokens", "8"},
		} {
			if name == "run" || name == "sweep" {
				command = append(command, "--out", filepath.Join(t.TempDir(), "out"))
			}
			cmd := exec.Command("sh", append([]string{"-c", "ulimit " + test.limit + `; exec "$@"`, "sh", "proctor"}, command...)...)
			var said strings.Builder
			cmd.Stderr = &said
			err := cmd.Run()
			code := fmt.Sprint(cmd.ProcessState.ExitCode())
			if code == "3" && name == "sweep" && test.code == "2" {
				code = "2" // its first two candidates lack memory
			}
			lines := strings.Count(said.String(), "\n")
			if code != test.code || !strings.Contains(said.String(), test.says) || test.says != "" && lines != 1 {
				t.Errorf("ulimit %s: %s: %v: %.600s", test.limit, name, err, &said)
			}
		}
	}
}
