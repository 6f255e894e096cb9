package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"proctor/cmd/proctor/console"
)

// TestAHangupEndsARunAsAnInterruptDoes has the terminal go away.
func TestAHangupEndsARunAsAnInterruptDoes(t *testing.T) {
	// A program inherits that a signal is ignored, as under nohup, but not that it is awaited.
	awaited := make(chan os.Signal, 1)
	signal.Notify(awaited, syscall.SIGHUP)
	defer signal.Stop(awaited)
	cmd, stdout, stderr := beginSlow(t, filepath.Join(t.TempDir(), "run"))
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != console.ExitInterrupted || !strings.Contains(stderr.String(), "to go on: ") ||
		!json.Valid(stdout.Bytes()) {
		t.Errorf("exit code %d, stderr:\n%s", code, stderr)
	}
}

func TestWhatASignalEndsBeforeItBeginsIsInterrupted(t *testing.T) {
	ended := func(cause error) context.Context {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(cause)
		return ctx
	}
	loading := fmt.Errorf("loading model.gguf: %w", context.Canceled)
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		want int
	}{
		"while a model loads":  {ended(console.ErrInterrupted), loading, console.ExitInterrupted},
		"a bad file meanwhile": {ended(console.ErrInterrupted), errors.New("no such file"), console.ExitUsage},
		"by something else":    {ended(errors.New("else")), loading, console.ExitUsage},
		"nothing ended it":     {context.Background(), nil, console.ExitOK},
	} {
		if got := console.ExitCode(console.Interruption(c.ctx, c.err)); got != c.want {
			t.Errorf("%s: exit code %d, want %d", name, got, c.want)
		}
	}
}

func TestWhatCannotBePrintedIsAnError(t *testing.T) {
	for _, args := range []string{"--help", "run --help", "version", "version --json", "rules", "models"} {
		cmd := exec.Command("sh", "-c", "proctor "+args+" >/dev/full")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != console.ExitUsage || !strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("%s: exit code %d, %s", args, code, &stderr)
		}
	}
}

func TestVersionTellsWhatACopyIsMadeOf(t *testing.T) {
	var got built
	if err := json.Unmarshal(run(t, "version", "--json"), &got); err != nil {
		t.Fatal(err)
	}
	if got.Version == "" || got.EngineCommit == "" || got.Settings["CGO_ENABLED"] != "1" || got.Settings["GOARCH"] != got.Arch {
		t.Errorf("%+v", got)
	}
	engine := ""
	for _, d := range got.Dependencies {
		if d.Path == "github.com/ollama/ollama" {
			engine = d.Version + d.Sum
		}
	}
	if !strings.Contains(engine, "h1:") {
		t.Errorf("llama.cpp's module is not among the %d dependencies", len(got.Dependencies))
	}
}
