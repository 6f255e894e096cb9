package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"gotest.tools/v3/assert"

	"proctor/cmd/proctor/console"
	"proctor/runner/journal/journaltest"
)

// hostile is a text that a model, or the author of a set or a file, may write: it clears a screen, turns the direction of writing, …
const hostile = "\x1b[2J\x1b]0;owned\a\b\u202eevil\u2066\u009b31m\x7f\u200f\u2028"

// hostileFolder has files with hostile texts: the runs a, b and one with a hostile name, question sets, a model, styles, rules, bundles. id
// is an item of the runs.
func hostileFolder(t *testing.T) (at func(name string) string, id string) {
	folder := t.TempDir()
	at = func(name string) string { return filepath.Join(folder, name) }
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
	journaltest.Keep(t, at("a"), h, records)
	journaltest.Keep(t, at("runs/"+hostile), h, records)
	for i := range records {
		if i%2 == 0 {
			records[i].Text = hostile + "the answer is (A)"
		}
	}
	journaltest.Keep(t, at("b"), h, records)
	model, err := os.ReadFile("../../backends/embedded/control.gguf")
	assert.NilError(t, err)
	name := []byte("\x1b[2J\a\u202e\x7f\u009bevil") // as long as the name in the file
	if model = bytes.Replace(model, []byte("proctor control"), name, 1); !bytes.Contains(model, name) {
		t.Fatal("the control model has another name")
	}
	var bundle bytes.Buffer
	packed := tar.NewWriter(&bundle)
	assert.NilError(t, errors.Join(packed.WriteHeader(&tar.Header{Name: "proctor-bundle/" + hostile, Mode: 0o644}), packed.Close()))
	quoted := strings.ReplaceAll(strconv.Quote(hostile), `\a`, `\u0007`)
	quoted = strings.NewReplacer(`\x1b`, `\u001b`, `\x7f`, `\u007f`).Replace(quoted)
	row := `{"question_id":1,"question":` + quoted + `,"options":[` + quoted + `,"b"],"answer":"A","answer_index":0,"cot_content":"` +
		`","category":"math","src":"x"}` + "\n"
	style := "style: mine@1\nsummary: s\nrules: tiger\nstop: \"enough\"\n-- instruction --\n" + hostile +
		"\n-- question --\n{{.Question}}\n-- lead-in --\n"
	for name, content := range map[string][]byte{
		"set.jsonl":        []byte(row),
		"bad.jsonl":        []byte(`{"question_id":1,"question":"?","options":["a","b"],"answer":` + quoted + `,"category":"math"}` + "\n"),
		hostile + ".jsonl": []byte("{}\n"),
		"model.gguf":       model,
		hostile + ".gguf":  model,
		"bundle.tar":       bundle.Bytes(),
		"mine.style":       []byte(style),
		"bad.style":        []byte(style + "{{" + hostile + "}}\n"),
		"worse.style":      []byte(hostile + ": x\n"),
		"mine.rules":       []byte("name: mine\nfirst " + hostile + "is (A)\n"),
		"bad.rules":        []byte("name: mine\nfirst (" + hostile + "\n"),
		"worse.rules":      []byte("name: " + hostile + "\n"),
		"escaped.style":    []byte(strings.ReplaceAll(style, hostile, "{{"+strconv.Quote(hostile)+"}}")),
		"escaped.rules":    []byte("name: mine\nfirst \\x{1b}.*is (A)\n"),
	} {
		assert.NilError(t, os.MkdirAll(filepath.Dir(at(name)), 0o755))
		assert.NilError(t, os.WriteFile(at(name), content, 0o644))
	}
	return at, strings.TrimPrefix(records[0].ID, h.Task+"/")
}

// TestNoCommandHasTheTerminalObey runs every command on a terminal: all print texts by others, or what was typed.
func TestNoCommandHasTheTerminalObey(t *testing.T) {
	at, id := hostileFolder(t)
	t.Setenv("OLLAMA_MODELS", at(hostile))
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
	t.Setenv("PROCTOR_DATA", at("data"))
	tried := map[string]bool{}
	for _, args := range [][]string{
		{"report", at("a")}, {"report", at("a"), "--format", "markdown"}, {"report", at("a"), "--format", "json"},
		{"report", at("a"), "--format", "csv"}, {"report", at(hostile + ".jsonl")}, {"report", at("a"), "--rules", hostile},
		{"report", at("a"), "--items"}, {"report", at("a"), "--items", "--with-text"},
		{"report", at("a"), "--items", "--with-text", "--format", "jsonl"},
		{"report", at("a"), "--items", "--with-text", "--format", "csv"},
		{"report", at("a"), "--items", "--tag", hostile},
		{"show", at("a"), id}, {"show", at("a"), id, "--format", "markdown"}, {"show", at("a"), id, "--format", "json"},
		{"show", at("a"), "108"}, {"show", at("a"), hostile},
		{"compare", at("a"), at("b")}, {"compare", at("a"), at("b"), "--format", "json"},
		{"compare", at("a"), at("b"), "--flips", "--with-text"},
		{"compare", at("a"), at("b"), "--flips", "--with-text", "--format", "jsonl"},
		{"data", "show", "--data", at("set.jsonl"), "1"}, {"data", "show", "--data", at("set.jsonl"), "--json", "1"},
		{"data", "check", "--data", at("set.jsonl")}, {"data", "check", "--data", at("bad.jsonl")},
		{"render", "--data", at("set.jsonl"), "--shots", "0", "--question", "1"},
		{"render", "--data", at("set.jsonl"), "--shots", "0", "--all"}, {"run", "--data", at("bad.jsonl")},
		{"run", "--data", at("set.jsonl"), "--shots", "0", "--dry-run"}, {"run", "--task", hostile},
		{"import", at("set.jsonl"), "-o", at("c")},
		{"report", at("a"), "--format", "hub"}, {"report", hostile, "--format", "hub", "-o", at("e")},
		{"models", at("")}, {"inspect", at("set.jsonl")}, {"inspect", hostile}, {hostile},
		{"models", at("bad")}, {"models", hostile}, {"inspect", at("model.gguf")},
		{"inspect", at(hostile + ".gguf"), "--json"}, {"data", "import", at("set.jsonl"), "--name", "mine"}, {"data", "list"},
		{"data", "stats", "--data", at("set.jsonl")},
		{"data", "import", at("set.jsonl"), "--name", hostile}, {"data", hostile},
		{"report", at("a"), "--rules", at("mine.rules")}, {"report", at("a"), "--rules", at("bad.rules")},
		{"report", at("a"), "--rules", at("worse.rules")}, {"report", at("a"), "--rules", at("escaped.rules")},
		{"report", at("a"), "--rules", at(hostile + ".rules")}, {"rules"}, {"rules", hostile}, {"rules", "tiger", "--format", "json"},
		{"report", at("runs")}, {"report", at("runs"), "--format", "csv"}, {"report", at("runs"), "--format", "json"}, {"report", hostile},
		{"report", at("runs"), "--format", "html"}, {"report", at("runs"), "--format", hostile},
		{"style", "list"}, {"style", "export", "tiger"}, {"style", "export", hostile}, {"style", hostile},
		{"render", "--style", at("mine.style"), "--data", at("set.jsonl"), "--shots", "0", "--question", "1"},
		{"render", "--style", at("bad.style"), "--data", at("set.jsonl"), "--shots", "0", "--question", "1"},
		{"render", "--style", at("worse.style"), "--data", at("set.jsonl"), "--shots", "0", "--question", "1"},
		{"render", "--style", at("escaped.style"), "--data", at("set.jsonl"), "--shots", "0", "--question", "1"},
		{"run", "--style", at("escaped.style"), "--data", at("set.jsonl"), "--shots", "0", "--stop", hostile, "--dry-run"},
		{"run", "--style", at("escaped.style"), "--data", at("set.jsonl"), "--shots", "0", "--model", at("model.gguf"), "--rules",
			at("escaped.rules"), "--system", hostile, "--max-tokens", "16", "--out", at("out" + hostile)},
		{"run", "--data", at("set.jsonl"), "--shots", "0", "--model", at(hostile + ".gguf"), "--max-tokens", "16", "--out", at("out")},
		{"score", at(hostile + ".gguf"), "--against", at("out")}, {"score", at(hostile + ".gguf"), "--against", at("a")},
		{"score", hostile, "--against", hostile}, {"score", at("model.gguf"), "--against", at("out")},
		{"run", "--until-decided", hostile},
		{"run", "--model", "ollama:" + hostile}, {"run", "--tasks", "mmlu_pro_" + hostile}, {"run", "--subjects", hostile},
		{"plan", "--half-width", "0.1", "--data", at("set.jsonl")}, {"plan", "--limit", hostile},
		{"bench", at("model.gguf"), "-p", "8", "-n", "2", "-r", "1"}, {"bench", at(hostile + ".gguf"), "-p", "8", "-n", "0", "-r", "1"},
		{"bench", hostile}, {"bench", "--format", hostile}, {"bench", "--exam", at(hostile + ".gguf"), "--slots", "1", "--questions", "1",
			"--shared", "8", "--own", "8", "--max-tokens", "2"},
		{"bundle", "-o", at("x.tar"), "--data", "sample", at(hostile + ".gguf")},
		{"bundle", "-o", at("new" + hostile + ".tar"), "--data", "sample", at("model.gguf")}, {"bundle", "--data", hostile, "-o", at("x")},
		{"bundle", "check", at("new" + hostile + ".tar")}, {"bundle", "check", at("bundle.tar")}, {"bundle", "check", hostile},
		{"sweep", at(hostile + ".gguf"), "--types", hostile}, {"sweep", hostile, at("model.gguf"), "--out", at("sweep" + hostile)},
		{"merge", at("a"), at("b"), "-o", at("all")}, {"merge", at("runs/" + hostile), hostile, "-o", at("all")},
		{"doctor"}, {"doctor", hostile}, {"help"}, {"help", hostile}, {"version"}, {"version", hostile},
		{"run", "--" + hostile}, {"--" + hostile, "run"}, {"run", "--seed", hostile}, {"run", "--model", hostile},
		{"template", hostile}, {"engine", "list"}, {"engine", "add", hostile}, {"engine", "remove", hostile}, {"run", "--engine", hostile},
		{"schema"}, {"schema", hostile},
		{"report", at("a"), "-o", at("a." + hostile)}, {"run", "--resume", hostile, "--limit", hostile},
	} {
		tried[args[0]] = true
		var stdout, stderr bytes.Buffer
		p := &console.Program{Stderr: &stderr, Terminal: true, Now: time.Now, Args: append([]string{"proctor"}, args...), Exit: func(int) {}}
		p.OnScreen(&stdout, func(string) string { return "" })
		execute(p)
		assert.Check(t, stdout.Len()+stderr.Len() != 0, "%q prints nothing", args)
		for _, printed := range []string{stdout.String(), stderr.String()} {
			// show's marks around an answer, and the redrawing of a progress line.
			own := strings.NewReplacer("\x1b[7m", "", "\x1b[27m", "", "\r", "", "\x1b[K", "").Replace(printed)
			i := strings.IndexFunc(own, obeyed)
			assert.Check(t, i < 0, "%q prints %q", args, own[max(0, i-20):min(len(own), i+20)])
		}
	}
	for _, command := range commandLine(&console.Program{}).Commands {
		assert.Check(t, tried[command.Name], "%s was not tried", command.Name)
	}
}

func TestTheAnswerIsMarkedAsTheTerminalCan(t *testing.T) {
	h, records := journaltest.Examples()["mcq"]()
	run := journaltest.Keep(t, filepath.Join(t.TempDir(), "run"), h, records[1:2])
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
		p := &console.Program{Stderr: &stderr, Now: time.Now, Args: args, Exit: func(int) {}}
		p.OnScreen(&stdout, func(name string) string { return c.variables[name] })
		if code := execute(p); code != 0 || !strings.Contains(stdout.String(), c.want) {
			t.Errorf("%s: %d, %q%q", name, code, stdout.String(), stderr.String())
		}
	}
}

// obeyed says whether a terminal obeys a character. It is a second list, independent of the checked one.
func obeyed(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Bidi_Control, r) ||
		r == '\u2028' || r == '\u2029')
}
