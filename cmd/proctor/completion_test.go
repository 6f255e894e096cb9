package main

import (
	"os/exec"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// completed are the words that a shell offers behind a command line whose last word is being typed.
var completed = []struct{ line, want string }{
	{"proctor ru", "run runs rules"},
	{"proctor data im", "import"},
	{"proctor run --lim", "--limit"},
	{"proctor run --limit 5 --see", "--seed"},
	{"proctor report runs/a --ful", "--full"}, // behind an argument
	{"proctor report runs/a --format ", ""},   // the flag's value: a file, as far as we know
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
		// The completion system has no ear where there is no terminal: what it would be told is printed.
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
				command.Dir = t.TempDir() // without a file to complete to
				out, err := command.CombinedOutput()
				got := strings.TrimSpace(string(out))
				assert.Check(t, err == nil && sameWords(got, test.want), "%q: %q, %v; want %q", test.line, got, err, test.want)
			}
		})
	}
}

// sameWords compares lists whose order is the shell's.
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
