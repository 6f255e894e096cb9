package main

import (
	"os/exec"
	"regexp"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/cmd/proctor/console"
)

// chatML is a template of Ollama's that is not the control model's own.
const chatML = "{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n"

func TestCommandsAtAServer(t *testing.T) {
	server := control(t, 1)
	assert.NilError(t, server.Create(t.Context(), "chatty", modelPath(t), chatML))
	folder := t.TempDir()
	told(t, []telling{
		{"a dry run", []string{"run", "--dry-run", "--model", "ollama:control", "--limit", "1", "--show-prompt"}, 0,
			`(?s)num_ctx [0-9]+; .*time +unknown.*First prompt · mmlu_pro/[0-9]+ · [0-9,]+ tokens`},
	})
	running, err := server.Client().ListRunning(t.Context())
	assert.Check(t, err == nil && len(running.Models) == 0, "after a dry run the server holds %+v, %v", running, err)
	told(t, []telling{
		{"a dry run of a chat", []string{"run", "--dry-run", "--model", "ollama:chatty", "--limit", "1", "--prompt", "chat", "--show-prompt"}, 0,
			`(?s)chat prompt.*<\|im_start\|>user`}, // which the server writes down: it loads the model for that
		{"models", []string{"models"}, 0, `(?s)server at http://` + regexp.QuoteMeta(server.Host()) +
			`.*ollama:chatty:latest +llama .* F16 `},
		{"doctor", []string{"doctor"}, 0, `Ollama +server 0\.17\.4 at http://` + regexp.QuoteMeta(server.Host())},
		{"render", []string{"render", "--question", "1", "--shots", "0", "--model", "ollama:chatty", "--prompt", "chat"}, 0,
			`(?s)^<\|im_start\|>user\n.*<\|im_end\|>\n<\|im_start\|>assistant\n\n\n[0-9]+ tokens: `},
		{"turns", []string{"render", "--question", "1", "--shots", "1", "--model", "ollama:chatty", "--prompt", "turns"}, 0,
			`^<\|im_start\|>system\n`},
		{"chat", []string{"run", "--model", "ollama:chatty", "--prompt", "auto", "--limit", "1", "--max-tokens", "64", "--threads", "1",
			"--concurrency", "1", "--full", "--out", folder + "/chat"}, 0,
			`The chat template is the Ollama server's, not the model's own\.`},
		{"probe", []string{"run", "--model", "ollama:control", "--limit", "1", "--max-tokens", "64", "--threads", "1", "--full",
			"--out", folder + "/probe"}, 0, `backend +ollama 0\.17\.4, [0-9]+ slot`},
		{"beside the engine", []string{"bench", "--exam", "embedded", "ollama:control", "--questions", "3", "--shared", "60", "--own", "20",
			"--max-tokens", "4", "-t", "1", "--slots", "2", "--concurrency", "2"}, 0, `(?s)\| embedded, slots 2 .* 1\.00× \|.*` +
			`\| ollama:control, in flight 2 .* ollama 0\.17\.4 .*× \|`},
		{"thinking", []string{"run", "--model", "ollama:chatty", "--prompt", "chat", "--think", "on", "--limit", "1"}, console.ExitUsage,
			`leave thinking on auto`},
		{"a missing model", []string{"run", "--model", "ollama:missing", "--limit", "1"}, console.ExitUsage,
			"`ollama pull missing` there gets it"},
		{"a context too small", []string{"run", "--model", "ollama:control", "--limit", "1", "--ctx", "512"}, console.ExitUsage,
			`a context of 512 tokens is too small: .*--ctx [0-9]+ is needed`},
	})

	// A server on another machine: its files are not in the local store.
	t.Setenv("OLLAMA_MODELS", t.TempDir())
	told(t, []telling{
		{"tokens from afar", []string{"render", "--question", "1", "--shots", "0", "--model", "ollama:control"}, 0,
			`(?s)step by step\.\n\n[0-9]+ tokens: 0 `},
		{"a plan from afar", []string{"plan", "--full", "--limit", "5", "--model", "ollama:control"}, 0, `counted by ollama:control`},
		{"a run from afar", []string{"run", "--model", "ollama:control", "--limit", "1", "--max-tokens", "64", "--threads", "1",
			"--concurrency", "1", "--out", folder + "/afar"}, 0, `1 request in flight, num_ctx [0-9]+`},
	})
}

// telling is a command line, its exit code, and a pattern of what it prints.
type telling struct {
	name string
	args []string
	code int
	out  string
}

// told runs each of the command lines.
func told(t *testing.T, all []telling) {
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command("proctor", c.args...)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != c.code || !regexp.MustCompile(c.out).Match(out) {
				t.Errorf("exit code %d, want %d; want %s in\n%s", code, c.code, c.out, out)
			}
		})
	}
}
