package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/cmd/proctor/console"
)

func TestARunIsServedUntilCtrlC(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("proctor") // which testscript put there
	assert.NilError(t, err)
	cmd := exec.CommandContext(t.Context(), program, "run", "--threads", "1", "--slots", "2", "--serve", "0", "--out", "run")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PROCTOR_DATA="+filepath.Join(cmd.Dir, "data"))
	stderr, err := cmd.StderrPipe()
	assert.NilError(t, err)
	assert.NilError(t, cmd.Start())
	lines, address := bufio.NewScanner(stderr), ""
	for address == "" && lines.Scan() {
		address, _ = strings.CutPrefix(lines.Text(), "live: ")
		if !strings.HasPrefix(address, "http://127.0.0.1:") {
			address = ""
		}
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		response, err := http.Get(address + "report/0")
		assert.NilError(t, err)
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err == nil && response.StatusCode == http.StatusOK && strings.Contains(string(text), "<h1>Bundled sample, ") {
			break
		}
		assert.Assert(t, !time.Now().After(deadline), "no report is served: %s %.200s %v", response.Status, text, err)
	}
	assert.NilError(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
	code := cmd.ProcessState.ExitCode()
	assert.Check(t, code == console.ExitInterrupted, "exit %d", code)
	_, err = http.Get(address)
	assert.Check(t, err != nil, "it is served after its end")
}
