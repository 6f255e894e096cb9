package main

import (
	"os"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
	"gotest.tools/v3/assert"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
)

// TestRemediesNameWhatThereIs checks that the flags and commands in remedies exist. A flag outside a command is a flag of run; run itself
// must lack what has a remedy.
func TestRemediesNameWhatThereIs(t *testing.T) {
	commands := commandLine(&console.Program{}).Commands
	run, remedies := find(commands, []string{"run"}), 0
	for _, table := range []string{"gone", "elsewhere"} {
		text, err := os.ReadFile("flags/" + table + ".txt")
		assert.NilError(t, err)
		for i, row := range strings.Split(strings.ReplaceAll(string(text), "\n   ", " "), "\n") {
			names, do, has := strings.Cut(row, ": ")
			if !has {
				continue
			}
			checkCommand(t, i+1, "`proctor run "+quoted.ReplaceAllString(do, "")+"`", commands)
			if quoted.MatchString(do) {
				checkCommand(t, i+1, do, commands)
			}
			of := []*cli.Command{run}
			if paths, _, isFlag := strings.Cut(names, " --"); table == "gone" {
				of = nil
				for path := range strings.SplitSeq(paths, ",") {
					command := find(commands, strings.Fields(path))
					assert.Check(t, (command != nil) == isFlag, "%s: %s", table, path)
					of = append(of, command)
				}
			}
			for name := range strings.FieldsSeq(names) {
				remedies++
				for _, command := range of {
					isFlag := strings.HasPrefix(name, "-")
					assert.Check(t, !isFlag || flags.Instead(command, name) != nil, "%s: %s is taken, or its remedy is missing", table,
						name)
				}
			}
		}
	}
	assert.Check(t, remedies >= 300, "%d names have remedies: the rows are not found", remedies)
}
