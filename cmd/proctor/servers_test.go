package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"gotest.tools/v3/assert"

	"proctor/backends/servers/serverstest"
	"proctor/cmd/proctor/console"
	"proctor/runner/journal/journaltest"
)

// A server that refuses everything ends a run before its first question, with what to do, and leaves no folder.
func TestWhatRefusesEveryRequestEndsARunAtOnce(t *testing.T) {
	for scene, c := range map[string]struct{ kind, says string }{
		"error: auth":  {"xai", "OPENAI_API_KEY"},
		"error: quota": {"openai", "raise the quota there"},
		"error: gone":  {"vllm", "it lists "},
	} {
		d := serverstest.NewDouble(t, c.kind)
		d.Say(scene)
		out := filepath.Join(t.TempDir(), "run")
		cmd := exec.Command("proctor", "run", "--quiet", "--model", "openai:"+d.Model(), "--servers", d.URL(), "--prompt", "chat",
			"--limit", "14", "--out", out)
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY=sk-test")
		said, err := cmd.CombinedOutput()
		assert.Check(t, err != nil && cmd.ProcessState.ExitCode() == console.ExitEngine, "%s: %v: %s", scene, err, said)
		assert.Check(t, strings.Contains(string(said), c.says), "%s: %s", scene, said)
		_, err = os.Stat(out)
		assert.Check(t, os.IsNotExist(err), "%s: %v", scene, err)
	}
}

// The journal has what a server took: the reasoning models of OpenAI refuse to be greedy.
func TestAJournalHasWhatTheServerTook(t *testing.T) {
	d := serverstest.NewDouble(t, "openai")
	out := filepath.Join(t.TempDir(), "run")
	cmd := exec.Command("proctor", "run", "--model", "openai:gpt-5", "--servers", d.URL(), "--prompt", "chat", "--limit", "14", "--max-tokens", "600",
		"--sampling", "min_p=0.1", "--temperature", "0.7", "--out", out)
	said, err := cmd.CombinedOutput()
	assert.NilError(t, err, "%s", said)
	const note = "takes no temperature, top_p, presence_penalty, frequency_penalty, min_p: they are left out"
	assert.Check(t, strings.Contains(string(said), note), "%s", said)
	header, err := os.ReadFile(filepath.Join(out, "journal.jsonl"))
	assert.NilError(t, err)
	first, _, _ := strings.Cut(string(header), "\n")
	assert.Equal(t, gjson.Get(first, "backend.requests").Raw, `[{"seed":0}]`)
}

// The report of a run whose server drafted says what share was accepted, in one line.
func TestDraftedAnswersAreTold(t *testing.T) {
	h, records := journaltest.MCQ(14, func(int, int, string) journaltest.Answer { return journaltest.Answer{Letter: "A"} })
	for i := range records {
		records[i].Usage.DraftedTokens, records[i].Usage.AcceptedTokens = 8, 6
	}
	path := journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records)
	said, err := exec.Command("proctor", "report", path).CombinedOutput()
	assert.NilError(t, err, "%s", said)
	const line = "answers were drafted: 75.00 % of the 112 tokens that the server's speculative decoding guessed ahead were accepted"
	assert.Check(t, strings.Contains(string(said), line), "%s", said)
}
