package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// hostile is what a model, or the author of a set or a file, may write: it clears a screen, turns the direction of writing, …
const hostile = "\x1b[2J\x1b]0;owned\a\b\u202eevil\u2066\u009b31m\x7f\u200f\u2028"

// TestNoVerbHasTheTerminalObey runs every verb that prints texts of others, on a terminal.
func TestNoVerbHasTheTerminalObey(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	h, records := journaltest.Examples()["mcq"]()
	h.Model.Name, h.Notes, h.Preambles = "m"+hostile, []string{hostile}, map[string]string{}
	for i := range records {
		r := &records[i]
		r.Text, r.Prompt = hostile+r.Text+hostile, hostile
		r.OptionTexts = make([]string, r.Options)
		for option := range r.OptionTexts {
			r.OptionTexts[option] = hostile
		}
		if r.Failed() {
			r.Text, r.Error = "", hostile
		}
	}
	for _, run := range []string{"a", "b"} {
		w, err := journal.Create(at(run), h)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range records {
			if run == "b" && i%2 == 0 {
				r.Text = hostile + "the answer is (A)"
			}
			if err := w.Append(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	quoted := strings.ReplaceAll(strconv.Quote(hostile), `\a`, `\u0007`)
	quoted = strings.NewReplacer(`\x1b`, `\u001b`, `\x7f`, `\u007f`).Replace(quoted)
	row := `{"question_id":1,"question":` + quoted + `,"options":[` + quoted + `,"b"],"answer":"A","answer_index":0,"cot_content":"` +
		`","category":"math","src":"x"}` + "\n"
	for name, content := range map[string]string{
		"set.jsonl":        row,
		"bad.jsonl":        `{"question_id":1,"question":"?","options":["a","b"],"answer":` + quoted + `,"category":"math"}` + "\n",
		hostile + ".jsonl": "{}\n",
	} {
		if err := os.WriteFile(at(name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	id := strings.TrimPrefix(records[0].ID, h.Task+"/")
	for _, args := range [][]string{
		{"report", at("a")}, {"report", at("a"), "--format", "markdown"}, {"report", at("a"), "--format", "json"},
		{"report", at("a"), "--format", "csv"}, {"report", at(hostile + ".jsonl")}, {"report", at("a"), "--rules", hostile},
		{"report", at("a"), "--items"}, {"report", at("a"), "--items", "--with-text"},
		{"report", at("a"), "--items", "--with-text", "--format", "jsonl"},
		{"report", at("a"), "--items", "--with-text", "--format", "csv"},
		{"report", at("a"), "--items", "--where", "tag=" + hostile},
		{"show", at("a"), id}, {"show", at("a"), id, "--format", "markdown"}, {"show", at("a"), id, "--format", "json"},
		{"show", at("a"), "108"}, {"show", at("a"), hostile},
		{"compare", at("a"), at("b")}, {"compare", at("a"), at("b"), "--format", "json"},
		{"compare", at("a"), at("b"), "--flips", "--with-text"},
		{"compare", at("a"), at("b"), "--flips", "--with-text", "--format", "jsonl"},
		{"compare", at("a"), at("b"), "--flips", "--with-text", "--format", "csv"},
		{"data", "show", "--data", at("set.jsonl"), "1"}, {"data", "show", "--data", at("set.jsonl"), "--json", "1"},
		{"data", "check", "--data", at("set.jsonl")}, {"data", "check", "--data", at("bad.jsonl")},
		{"render", "--data", at("set.jsonl"), "--shots", "0", "--question", "1"},
		{"render", "--data", at("set.jsonl"), "--shots", "0", "--all"}, {"run", "--data", at("bad.jsonl")},
		{"run", "--data", at("set.jsonl"), "--shots", "0", "--dry-run"}, {"run", "--task", hostile},
		{"import", at("set.jsonl"), "-o", at("c")},
		{"models", folder}, {"inspect", at("set.jsonl")}, {"inspect", hostile}, {hostile},
	} {
		var stdout, stderr bytes.Buffer
		p := program{stderr: &stderr, now: time.Now, args: append([]string{"proctor"}, args...), exit: func(int) {}}
		p.onScreen(&stdout, func(string) string { return "" })
		p.main()
		if stdout.Len()+stderr.Len() == 0 {
			t.Errorf("%q prints nothing", args)
		}
		for _, printed := range []string{stdout.String(), stderr.String()} {
			reversed := strings.NewReplacer("\x1b[7m", "", "\x1b[27m", "").Replace(printed) // which show has of its own
			if i := strings.IndexFunc(reversed, obeyed); i >= 0 {
				t.Errorf("%q prints %q", args, reversed[max(0, i-20):min(len(reversed), i+20)])
			}
		}
	}
}

func TestTheAnswerIsMarkedAsTheTerminalCan(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	run := filepath.Join(t.TempDir(), "run")
	w, err := journal.Create(run, h)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(records[1]), w.Close()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		variables map[string]string
		format    string
		want      string
	}{
		"a terminal":           {nil, "text", "\x1b[7manswer is (B\x1b[27m)"},
		"one without colours":  {map[string]string{"NO_COLOR": "1"}, "text", "⟦answer is (B⟧)"},
		"one that knows none":  {map[string]string{"TERM": "dumb"}, "text", "⟦answer is (B⟧)"},
		"markdown on any":      {nil, "markdown", "⟦answer is (B⟧)"},
		"an empty NO_COLOR is": {map[string]string{"NO_COLOR": "", "TERM": "xterm"}, "text", "\x1b[7manswer is (B\x1b[27m)"},
	} {
		var stdout, stderr bytes.Buffer
		args := []string{"proctor", "show", run, "101", "--format", c.format}
		p := program{stderr: &stderr, now: time.Now, args: args, exit: func(int) {}}
		p.onScreen(&stdout, func(name string) string { return c.variables[name] })
		if code := p.main(); code != 0 || !strings.Contains(stdout.String(), c.want) {
			t.Errorf("%s: %d, %q%q", name, code, stdout.String(), stderr.String())
		}
	}
}

// obeyed says whether a terminal obeys a character: written down apart from what it checks.
func obeyed(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Bidi_Control, r) ||
		r == '\u2028' || r == '\u2029')
}
