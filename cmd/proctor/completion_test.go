package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/backends/llamacpp/llama"
)

// completed are the words that a shell offers for the last, unfinished word of a command line.
var completed = []struct{ line, want string }{
	{"proctor ru", "run runs rules"},
	{"proctor data im", "import"},
	{"proctor run --lim", "--limit"},
	{"proctor run --limit 5 --see", "--seed"},
	{"proctor report runs/a --ful", "--full"}, // after an argument
	{"proctor report runs/a --format ", ""},   // a flag's value may be a file
	{"proctor help comp", "compare completion"},
	{"proctor completion ", "bash zsh fish"},
	{"proctor --ver", "--version"},
	{"proctor run --frob", ""},
	{"proctor report runs/", ""},
}

func TestShellsComplete(t *testing.T) {
	t.Parallel()
	drivers := map[string]string{
		"bash": `eval "$(proctor completion bash)"
			complete -p proctor | grep -q _proctor || echo not-registered
			read -ra COMP_WORDS <<<"$1"; [[ $1 == *' ' ]] && COMP_WORDS+=("")
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _proctor; echo "${COMPREPLY[*]}"`,
		// Without a terminal zsh's completion system does nothing, so these functions print what it would get.
		"zsh": `compdef() { registered=$2 }; _describe() { print -- ${found%%:*} }; _files() { print }
			eval "$(proctor completion zsh)"; [[ $registered == proctor ]] || print not-registered
			words=(${=1}); [[ $1 == *' ' ]] && words+=(""); CURRENT=$#words; _proctor`,
		"fish": `proctor completion fish | source
			complete -C $argv[1] | string split -f1 \t; true`,
	}
	for shell, driver := range drivers {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip("needs " + shell)
			}
			for _, test := range completed {
				args := []string{"-c", driver, shell, test.line}
				if shell == "fish" {
					args = []string{"-c", driver, test.line}
				}
				command := exec.Command(path, args...)
				command.Dir = t.TempDir() // has no file to complete to
				out, err := command.CombinedOutput()
				got := strings.TrimSpace(string(out))
				assert.Check(t, err == nil && sameWords(got, test.want), "%q: %q, %v; want %q", test.line, got, err, test.want)
			}
		})
	}
}

// sameWords compares lists in any order, since shells sort them.
func sameWords(a, b string) bool {
	count := map[string]int{}
	for word := range strings.FieldsSeq(a) {
		count[word]++
	}
	for word := range strings.FieldsSeq(b) {
		count[word]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// TestGoldenCompletions detects an engine whose texts change: the control model's answers to a question of every subject, and to a few in
// other forms, greedily and with one slot. An engine compiled for another CPU rounds sums differently, so that a choice between two options
// of nearly the same probability may differ; then one text in ten may.
func TestGoldenCompletions(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"mmlu_pro": {"--limit", "14"},
		"binary":   {"--limit", "1", "--subjects", "math", "--tasks", "mmlu_pro_binary"},
		"chat":     {"--limit", "3", "--subjects", "law,math,physics", "--prompt", "turns"},
	} {
		t.Run(name, func(t *testing.T) {
			got := completions(t, flags)
			file := "completions-" + name + ".txt"
			if golden.FlagUpdate() {
				golden.Assert(t, got, file)
				return
			}
			want := string(golden.Get(t, file))
			if engine, _, _ := strings.Cut(want, "\n"); strings.HasPrefix(got, engine+"\n") {
				golden.Assert(t, got, file)
				return
			}
			compareMost(t, got, want)
		})
	}
}

// completions runs the control model and lists its texts, after a line with the CPU that the engine was compiled for.
func completions(t *testing.T, flags []string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "run")
	run(t, append([]string{"run", "--quiet", "--threads", "1", "--slots", "1", "--seed", "3", "--out", folder}, flags...)...)
	kept := loaded(t, folder)
	var texts strings.Builder
	fmt.Fprintln(&texts, "engine", strings.Join(llama.Builtin().DescribeCPU().Compiled, " "))
	for _, record := range kept.Records {
		fmt.Fprintf(&texts, "%s %q\n", record.ID, record.Text)
	}
	return texts.String()
}

// compareMost requires nine texts in ten to be equal, rounded up to one that may differ.
func compareMost(t *testing.T, got, want string) {
	t.Helper()
	gotLines, wantLines := strings.Split(got, "\n")[1:], strings.Split(want, "\n")[1:]
	assert.Assert(t, len(gotLines) == len(wantLines), "%d texts, want %d", len(gotLines)-1, len(wantLines)-1)
	differ := 0
	for i := range gotLines {
		if gotLines[i] != wantLines[i] {
			differ++
			t.Logf("on this CPU %s, elsewhere %s", gotLines[i], wantLines[i])
		}
	}
	most := (len(gotLines) + 9) / 10
	assert.Check(t, differ <= most, "%d texts differ from those of another CPU, at most %d may", differ, most)
}
