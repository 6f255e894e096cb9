package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestWhatIsPipedIsObeyedByNoTerminal reads what goes into a pipe, which may lead to a pager; a prompt alone is what it is.
func TestWhatIsPipedIsObeyedByNoTerminal(t *testing.T) {
	t.Parallel()
	at, id := hostileFolder(t)
	set := at("set.jsonl")
	for _, args := range [][]string{
		{"data", "show", "--data", set, "1"}, {"data", "show", "--data", set, "--json", "1"}, {"data", "check", "--data", set},
		{"data", "stats", "--data", set}, {"data", "check", "--data", at("bad.jsonl")}, {"inspect", at("model.gguf")},
		{"inspect", at("model.gguf"), "--json"}, {"report", at("a")}, {"report", at("a"), "--format", "markdown"},
		{"report", at("a"), "--format", "json"}, {"report", at("a"), "--format", "csv"}, {"report", at("a"), "--format", "html"},
		{"report", at("a"), "--items", "--with-text", "--format", "csv"}, {"show", at("a"), id}, {"runs", at("runs")},
		{"compare", at("a"), at("b"), "--format", "json"}, {"bundle", "check", at("bundle.tar")}, {"models", at("")},
	} {
		out, _ := exec.Command("proctor", args...).CombinedOutput()
		i := bytes.IndexFunc(out, obeyed)
		assert.Check(t, i < 0 && len(out) != 0, "%q prints %d bytes, with %q", args, len(out), out[max(0, i):min(len(out), i+20)])
	}
	prompt := run(t, "render", "--data", set, "--shots", "0", "--question", "1")
	assert.Check(t, strings.Contains(string(prompt), hostile), "the prompt is changed: %q", prompt)
}
