package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
	"gotest.tools/v3/assert"

	"proctor/cmd/proctor/console"
)

var (
	// testNames are what a row of the table of harnesses names as its tests.
	testNames = regexp.MustCompile(`Test[A-Za-z0-9]+|Scripts/[a-z]+`)
	// quoted is a command or a flag in such a row.
	quoted    = regexp.MustCompile("`([^`]+)`")
	flagNames = regexp.MustCompile(`(?:^| )--([a-z-]+)`)
)

// TestEveryFeatureOfOtherHarnessesHasItsCommandAndTest holds docs/harnesses.md to what there is: the tests that it names, and the flags
// of the commands.
func TestEveryFeatureOfOtherHarnessesHasItsCommandAndTest(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/harnesses.md")
	assert.NilError(t, err)
	tests, commands := declaredTests(t), commandLine(&console.Program{}).Commands
	rows := 0
	for i, line := range strings.Split(string(page), "\n") {
		cells := strings.Split(line, "|")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| feature |") {
			continue
		}
		if rows++; len(cells) != 6 {
			t.Errorf("line %d has %d cells, not 4", i+1, len(cells)-2)
			continue
		}
		named := testNames.FindAllString(cells[4], -1)
		assert.Check(t, len(named) != 0, "line %d names no test: %s", i+1, line)
		for _, name := range named {
			assert.Check(t, tests[name], "line %d names %s, and there is no such test", i+1, name)
		}
		checkCommand(t, i+1, cells[3], commands)
	}
	assert.Check(t, rows >= 60, "the page has %d rows", rows)
}

// declaredTests are the test functions of the module and its stories.
func declaredTests(t *testing.T) map[string]bool {
	t.Helper()
	declared := map[string]bool{}
	declares := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, source := range sources(t) {
		if !source.test {
			continue
		}
		for _, m := range declares.FindAllStringSubmatch(source.text, -1) {
			declared[m[1]] = true
		}
	}
	stories, err := filepath.Glob("testdata/script/*.txtar")
	assert.NilError(t, err)
	for _, story := range stories {
		declared["Scripts/"+strings.TrimSuffix(filepath.Base(story), ".txtar")] = true
	}
	return declared
}

// checkCommand holds a cell's commands to be there, with their flags; a flag that stands alone is the first command's.
func checkCommand(t *testing.T, line int, cell string, commands []*cli.Command) {
	t.Helper()
	var command *cli.Command
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		words := strings.Fields(m[1])
		if words[0] == "proctor" {
			command = find(commands, words[1:])
		}
		if command == nil {
			t.Errorf("line %d: there is no command %s", line, m[1])
			return
		}
		for _, flag := range flagNames.FindAllStringSubmatch(m[1], -1) {
			assert.Check(t, slices.ContainsFunc(command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), flag[1]) }),
				"line %d: %s has no flag --%s", line, command.Name, flag[1])
		}
	}
	assert.Check(t, command != nil, "line %d has no command: %s", line, cell)
}

// find is the command that words begin with, or its subcommand.
func find(commands []*cli.Command, words []string) *cli.Command {
	at := slices.IndexFunc(commands, func(c *cli.Command) bool { return len(words) > 0 && c.Name == words[0] })
	if at < 0 {
		return nil
	}
	if len(commands[at].Subcommands) > 0 {
		return find(commands[at].Subcommands, words[1:])
	}
	return commands[at]
}
