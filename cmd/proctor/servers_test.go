package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"gotest.tools/v3/assert"

	"proctor/backends/servers/serverstest"
	"proctor/cmd/proctor/console"
	"proctor/runner/journal/journaltest"
)

// A server that refuses everything ends a run before its first question, with a hint, and leaves no folder.
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

// llamaServer is the address of a real llama-server, if one is named.
func llamaServer(t *testing.T) string {
	t.Helper()
	base := os.Getenv("PROCTOR_LLAMA_SERVER")
	if base == "" {
		t.Skip("PROCTOR_LLAMA_SERVER names no llama-server, as in http://127.0.0.1:8080")
	}
	return base
}

// A real llama-server with the control model, if one is named, reads the letters that the file reads.
func TestLlamaServerReadsWhatTheFileReads(t *testing.T) {
	base, folder := llamaServer(t), t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	asks := []string{"run", "--quiet", "--limit", "6", "--shots", "1"}
	local, served := []string{"--threads", "1", "--kernels", "ggml"}, []string{"--model", "openai:", "--servers", base}
	run(t, slices.Concat(asks, local, []string{"--direct", "--out", in("file")})...)
	run(t, slices.Concat(asks, served, []string{"--direct", "--out", in("server")})...)
	got := lettersOf(t, in("server"))
	for id, want := range lettersOf(t, in("file")) {
		for i := range want {
			assert.Check(t, math.Abs(got[id][i]-want[i]) < 0.02, "%s: %v, want %v", id, got[id], want)
		}
	}
}

// A real llama-server, if one is named, evaluates the shots of a subject about once, with any number of slots.
func TestLlamaServerEvaluatesASubjectsShotsOnce(t *testing.T) {
	text := run(t, "run", "--model", "openai:", "--servers", llamaServer(t), "--limit", "56", "--max-tokens", "4",
		"--quiet", "--format", "json", "--out", filepath.Join(t.TempDir(), "run"))
	share := func(name string) float64 { return gjson.GetBytes(text, "speed."+name).Float() }
	assert.Check(t, share("reuse_share") > 0.8*share("reuse_share_possible") && share("reuse_share_possible") > 0.5, "%s",
		gjson.GetBytes(text, "speed"))
}

// The journal has what a server accepted: OpenAI's reasoning models refuse to be greedy.
func TestAJournalHasWhatTheServerTook(t *testing.T) {
	d := serverstest.NewDouble(t, "openai")
	out := filepath.Join(t.TempDir(), "run")
	cmd := exec.Command("proctor", "run", "--model", "openai:gpt-5", "--servers", d.URL(), "--prompt", "chat", "--limit", "14", "--max-tokens", "600",
		"--sampling", "min_p=0.1", "--temperature", "0.7", "--out", out)
	said, err := cmd.CombinedOutput()
	assert.NilError(t, err, "%s", said)
	const note = "takes no temperature, min_p: they are left out"
	assert.Check(t, strings.Contains(string(said), note), "%s", said)
	header, err := os.ReadFile(filepath.Join(out, "journal.jsonl"))
	assert.NilError(t, err)
	first, _, _ := strings.Cut(string(header), "\n")
	assert.Equal(t, gjson.Get(first, "backend.requests").Raw, `[{"seed":0}]`)
	const asked = "as the server draws: it takes no min_p, temperature"
	page := filepath.Join(out, "page.html")
	full := run(t, "report", out, "--full")
	run(t, "report", out, "-o", page)
	html, err := os.ReadFile(page)
	assert.NilError(t, err)
	for _, text := range []string{string(said), string(full), string(html)} {
		assert.Check(t, strings.Contains(text, asked) && !strings.Contains(text, "greedy") &&
			!strings.Contains(text, "temperature 0.7"), "%s", text)
	}
}

// The report of a run whose server drafted says in one line what share was accepted.
func TestDraftedAnswersAreTold(t *testing.T) {
	h, records := journaltest.MCQ(14, func(int, int, string) journaltest.Answer { return journaltest.Answer{Letter: "A"} })
	for i := range records {
		records[i].Usage.DraftedTokens, records[i].Usage.AcceptedTokens = 8, 6
	}
	path := journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records)
	said, err := exec.Command("proctor", "report", path, "--full").CombinedOutput()
	assert.NilError(t, err, "%s", said)
	const line = "75.00 % of the 112 tokens that the server's speculative decoding guessed ahead were accepted"
	assert.Check(t, strings.Contains(string(said), line), "%s", said)
}
