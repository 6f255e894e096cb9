package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/embedded"
	"proctor/backends/ollama/ollamatest"
	"proctor/cmd/proctor/console"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/grade"
)

// control starts a real server with the control model, for the runs that follow. Without flash attention it reads long prompts seven times
// as fast on a CPU.
func control(t *testing.T, parallel int) *ollamatest.Server {
	t.Helper()
	s := ollamatest.New(t, ollamatest.Options{Parallel: parallel, Env: []string{"OLLAMA_FLASH_ATTENTION=0"}})
	assert.NilError(t, s.Create(t.Context(), "control", modelPath(t), ""))
	t.Setenv("OLLAMA_HOST", s.Host())
	t.Setenv("OLLAMA_MODELS", s.Models())
	return s
}

// TestOllamaAnswersAsTheEngineDoes runs two questions of every subject on the same file, by a real server and in-process, one item at a
// time and greedily. Texts differ if the model writes bytes that are not UTF-8: Ollama omits such a piece of text, the engine writes
// U+FFFD.
func TestOllamaAnswersAsTheEngineDoes(t *testing.T) {
	control(t, 1)
	folder := t.TempDir()
	served, inProcess := filepath.Join(folder, "served"), filepath.Join(folder, "in-process")
	run(t, "run", "--quiet", "--threads", "1", "--model", "ollama:control", "--limit", "28", "--shots", "3", "--out", served, "--concurrency", "1")
	run(t, "run", "--quiet", "--threads", "1", "--model", modelPath(t), "--limit", "28", "--shots", "3", "--out", inProcess, "--slots", "1")

	theirs, ours := loaded(t, served), loaded(t, inProcess)
	assert.Check(t, theirs.Header.Model.FileSHA256 == ours.Header.Model.FileSHA256 && ours.Header.Model.FileSHA256 == embedded.Digest(),
		"the server ran the file %s, the engine %s", theirs.Header.Model.FileSHA256, ours.Header.Model.FileSHA256)
	compareItems(t, theirs, ours)
}

// compareItems requires the same prompts with the same numbers of tokens, and the same letter in 19 items of 20.
func compareItems(t *testing.T, theirs, ours *journaltest.Journal) {
	t.Helper()
	rules, err := grade.Lookup(ours.Header.RuleSet)
	assert.NilError(t, err)
	records := byID(theirs)
	same, verbatim := 0, 0
	for _, our := range ours.Records {
		their, there := records[our.ID]
		prompt := ours.Header.Preambles[our.Subject] + our.Prompt
		if !there || theirs.Header.Preambles[their.Subject]+their.Prompt != prompt || their.Usage.PromptTokens != our.Usage.PromptTokens {
			t.Errorf("%s: the server got another prompt (%d tokens, %d in-process)",
				our.ID, their.Usage.PromptTokens, our.Usage.PromptTokens)
		}
		theirMark, ourMark := rules.Mark(&theirs.Header, &their), rules.Mark(&ours.Header, &our)
		if theirMark.Letter == ourMark.Letter {
			same++
		}
		if their.Text == our.Text {
			verbatim++
		} else {
			t.Logf("%s: by the server %q, in-process %q", our.ID, their.Text, our.Text)
		}
	}
	n := len(ours.Records)
	t.Logf("%d items: %d with the same letter, %d with the same text", n, same, verbatim)
	assert.Check(t, len(records) == n && same*20 >= n*19,
		"%d of %d items have the same letter (%d from the server), at least 95 %% must", same, n, len(records))
}

// chatML is an Ollama template that differs from the control model's own.
const chatML = "{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n"

func TestCommandsAtAServer(t *testing.T) {
	server := control(t, 1)
	assert.NilError(t, server.Create(t.Context(), "chatty", modelPath(t), chatML))
	folder := t.TempDir()
	told(t, []telling{
		{"a dry run", []string{"run", "--dry-run", "--model", "ollama:control", "--limit", "1"}, 0,
			`(?s)a context of [0-9]+ tokens; .*time +unknown`},
	})
	running, err := server.Client().ListRunning(t.Context())
	assert.Check(t, err == nil && len(running.Models) == 0, "after a dry run the server holds %+v, %v", running, err)
	told(t, []telling{
		{"a dry run of a chat", []string{"run", "--dry-run", "--model", "ollama:chatty", "--limit", "1", "--prompt", "chat"},
			0,
			`chat prompt`},
		{"models", []string{"models"}, 0, `(?s)server at http://` + regexp.QuoteMeta(server.Host()) +
			`.*ollama:chatty:latest +llama .* F16 `},
		{"doctor", []string{"doctor"}, 0, `Ollama +server 0\.17\.4 at http://` + regexp.QuoteMeta(server.Host())},
		{"render", []string{"render", "--question", "1", "--shots", "0", "--model", "ollama:chatty", "--prompt", "chat"}, 0,
			`(?s)^<\|im_start\|>user\n.*<\|im_end\|>\n<\|im_start\|>assistant\n\n\n[0-9]+ tokens: `},
		{"turns", []string{"render", "--question", "1", "--shots", "1", "--model", "ollama:chatty", "--prompt", "turns"}, 0,
			`^<\|im_start\|>system\n`},
		{"chat", []string{"run", "--model", "ollama:chatty", "--prompt", "auto", "--limit", "1", "--max-tokens", "64", "--threads", "1",
			"--concurrency", "1", "--out", folder + "/chat"}, 0, `saved in`},
		{"its report", []string{"report", folder + "/chat", "--full"}, 0,
			`The chat template is the Ollama server's, not the model's own\.`},
		{"as many as pay", []string{"run", "--model", "ollama:control", "--limit", "1", "--max-tokens", "64", "--threads",
			"1",
			"--out", folder + "/pays"}, 0, `saved in`},
		{"its backend", []string{"report", folder + "/pays", "--full"}, 0, `backend +ollama 0\.17\.4`},
		{"beside the engine", []string{"bench", "--exam", "embedded", "ollama:control", "--questions", "3", "--shared", "60", "--own", "20",
			"--max-tokens", "4", "-t", "1", "--slots", "2", "--concurrency", "2"}, 0, `(?s)\| embedded, slots 2 .* 1\.00× \|.*` +
			`\| ollama:control, in flight 2 .* ollama 0\.17\.4 .*× \|`},
		{"thinking", []string{"run", "--model", "ollama:chatty", "--prompt", "chat", "--think", "on", "--limit", "1"}, console.ExitUsage,
			`leave thinking on auto`},
		{"a missing model", []string{"run", "--model", "ollama:missing", "--limit", "1"}, console.ExitUsage,
			"`ollama pull missing` there gets it"},
		{"a context too small", []string{"run", "--model", "ollama:control", "--limit", "1", "--ctx", "512"}, console.ExitUsage,
			`a context of 512 tokens is too small: .*give --ctx [0-9]+`},
	})

	// A server on another machine: its files are not in the local store.
	t.Setenv("OLLAMA_MODELS", t.TempDir())
	told(t, []telling{
		{"render from afar", []string{"render", "--question", "1", "--shots", "0", "--model", "ollama:control"}, 0,
			`the vocabulary of control is not at hand`},
		{"a run from afar", []string{"run", "--model", "ollama:control", "--limit", "1", "--max-tokens", "64", "--threads", "1",
			"--concurrency", "1", "--out", folder + "/afar"}, 0, `1 request in flight, a context of [0-9]{3,4} tokens:`},
	})
}

// telling is a command line, its exit code, and a pattern for its output.
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

// servedRun takes long enough to lose its server half-way.
var servedRun = []string{"run", "--model", "ollama:control", "--concurrency", "2", "--threads", "1", "--limit", "21",
	"--shots", "1", "--max-tokens", "60", "--out"}

func TestARunOutlivesItsServer(t *testing.T) {
	server := control(t, 2)
	folder := filepath.Join(t.TempDir(), "run")
	cmd, _, stderr := begin(t, folder, servedRun, someItems)
	assert.NilError(t, server.Kill())
	waitUntil(t, "the run says that the server is gone", func() bool { return strings.Contains(stderr.String(), "does not answer") })
	assert.NilError(t, server.Start(t.Context()))
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
	assert.NilError(t, server.Start(t.Context()))
	out, err := exec.Command("proctor", "run", "--resume", folder).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "2 requests in flight") { // as before
		t.Fatalf("resuming: %v\n%s", err, out)
	}
	if again := failedIn(t, folder); again > 0 {
		t.Errorf("%d items failed again", again)
	}
	if n, want := len(lines(t, folder)), 1+21+failed; n != want { // only the failed ones are asked again
		t.Errorf("%d lines after the resume, want %d", n, want)
	}
}

func TestTwoServersOneOfWhichIsKilled(t *testing.T) {
	first, second := control(t, 1), control(t, 1)
	folder := filepath.Join(t.TempDir(), "run")
	args := slices.Concat([]string{"run", "--servers", first.Host() + "," + second.Host()}, servedRun[1:])
	args[slices.Index(args, "--concurrency")+1] = "1" // per server
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

// failedIn counts the failed items of a run, all of which must have failed for lack of a server.
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
