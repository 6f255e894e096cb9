package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"gotest.tools/v3/assert"

	"proctor/cmd/proctor/console"
)

// headings are the headings of a short help's groups.
var headings = regexp.MustCompile(`(?m)^[A-Z ]+:`)

// TestHelpFitsItsReader limits every command's help to 100 columns, and the long ones to 45 lines.
func TestHelpFitsItsReader(t *testing.T) {
	t.Parallel()
	for _, command := range commandLine(&console.Program{}).Commands {
		help := string(run(t, command.Name, "--help"))
		for flag, text := range map[string]string{"--help": help, "--help-all": string(run(t, command.Name, "--help-all"))} {
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
					t.Errorf("%s %s has a line of %d columns: %s", command.Name, flag, n, line)
				}
			}
			lines := strings.Count(text, "\n")
			if flag == "--help" && (lines > 45 || !strings.Contains(text, "Exit codes: 0 ok")) {
				t.Errorf("%s --help has %d lines, more than 45, or lacks the exit codes:\n%s", command.Name, lines, text)
			}
		}
		for name := range strings.FieldsSeq(headings.ReplaceAllString(command.CustomHelpTemplate, "")) {
			assert.Check(t, strings.Contains(help, name), "%s has no flag --%s", command.Name, name)
		}
	}
}
