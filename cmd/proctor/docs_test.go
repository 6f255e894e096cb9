package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
	"gotest.tools/v3/assert"

	"proctor/cmd/proctor/console"
)

// TestDocumentedCommandsRun runs the commands of README.md and docs/, page by page and in the page's order, in a folder where every model
// file is the control model. Of a command that needs a server, a GPU or a long time it only parses the flags and their values.
func TestDocumentedCommandsRun(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	assert.NilError(t, err)
	targets, err := os.ReadFile("../../Makefile")
	assert.NilError(t, err)
	model := modelPath(t)
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		assert.NilError(t, err)
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			reader := docReader{folder: t.TempDir(), model: model, targets: string(targets)}
			for _, command := range documented(string(text)) {
				assert.Check(t, reader.try(command.words), "%s:%d: %s", filepath.Base(page), command.line, strings.Join(command.words, " "))
			}
		})
	}
}

// A documentedCommand is one command of a page's code blocks.
type documentedCommand struct {
	line  int // its line, from 1
	words []string
}

var (
	comment = regexp.MustCompile(`\s+#.*`)
	chained = regexp.MustCompile(`\s+&&\s+`)

	quotedWord = regexp.MustCompile(`(?:[^\s"]|"[^"]*")+`)
)

// documented returns the commands of a page's indented and fenced blocks that call proctor or make.
func documented(page string) []documentedCommand {
	var found []documentedCommand
	fenced := false
	for i, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if !fenced && !strings.HasPrefix(line, "    ") {
			continue
		}
		for _, part := range chained.Split(comment.ReplaceAllString(line, ""), -1) {
			words := quotedWord.FindAllString(part, -1)
			for i := range words {
				words[i] = strings.ReplaceAll(words[i], `"`, "")
			}
			if len(words) > 1 && (words[0] == "make" || filepath.Base(words[0]) == "proctor") {
				found = append(found, documentedCommand{line: i + 1, words: words})
			}
		}
	}
	return found
}

// A docReader runs the commands of one page.
type docReader struct {
	folder  string
	model   string // the control model's file
	targets string // the Makefile
}

// documentedFiles are the input files that pages name, except models.
var documentedFiles = map[string]string{
	"body.json":  "{\"reasoning_effort\":\"low\"}\n",
	"mine.jinja": "{% for m in messages %}<|{{ m.role }} {{ effort }}|>{{ m.content }}{% endfor %}<|assistant|>",
	"eval.yaml":  "limit: 2\nmax-tokens: 4\n",
	"exam.csv":   "prompt,A,B,C,D,key\nTwo and two?,3,4,5,6,B\nThree and three?,6,7,8,9,A\n",
	"mine.rules": "name: mine\nlast answer is \\(?([A-J])\\)?\n",
	"mmlu-pro/":  "question,A,B,C,D,answer\nTwo and two?,3,4,5,6,B\nThree and three?,6,7,8,9,A\n",
	"system.txt": "Answer briefly.\n",
}

// try runs one command of the page.
func (r docReader) try(words []string) error {
	if words[0] == "make" {
		if !regexp.MustCompile(`(?m)^\.PHONY:.* ` + words[1] + `( |$)`).MatchString(r.targets) {
			return fmt.Errorf("no target %s in the Makefile", words[1])
		}
		return nil
	}
	if err := r.place(words); err != nil {
		return err
	}
	into := ""
	if at := slices.Index(words, ">"); at > 0 {
		words, into = words[:at], words[at+1]
	}
	cmd := exec.Command("proctor", cheap(words[1:])...)
	cmd.Dir = r.folder
	cmd.Env = append(os.Environ(), "HOME="+r.folder, "XDG_CACHE_HOME="+filepath.Dir(filepath.Dir(r.model)),
		"PROCTOR_DATA="+filepath.Join(r.folder, "data"), "OLLAMA_HOST=127.0.0.1:1", "OLLAMA_MODELS="+filepath.Join(r.folder, "store"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if into != "" {
		err = cmp.Or(err, os.WriteFile(filepath.Join(r.folder, into), stdout.Bytes(), 0o644))
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() != console.ExitUsage && exit.ExitCode() != console.ExitEngine {
		return nil // a gate may fail on two or three questions
	}
	if err != nil && !strings.Contains(stderr.String(), "No help topic for") { // an error about arguments comes after the flags are parsed
		return fmt.Errorf("%w\n%s", err, &stderr)
	}
	return nil
}

// place puts the input files where a command looks for them.
func (r docReader) place(words []string) error {
	for i, word := range words {
		word = strings.TrimPrefix(word, "@")
		content, known := documentedFiles[word]
		path := filepath.Join(r.folder, word)
		if _, err := os.Stat(path); err == nil || words[i-min(i, 1)] == "-o" {
			continue
		}
		var err error
		switch {
		case known && strings.HasSuffix(word, "/"):
			err = errors.Join(os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, "test.csv"), []byte(content), 0o644))
		case known:
			err = os.WriteFile(path, []byte(content), 0o644)
		case strings.HasSuffix(word, ".gguf") && !strings.ContainsAny(word, "/:="):
			err = os.Symlink(r.model, path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// elsewhere are words of commands that need what a test does not have; "model" is a way to draw tokens, which the control model's file
// lacks.
var elsewhere = regexp.MustCompile(`^model$|^(ollama:|openai:|gollama:|--engine|--gpu-layers|--lora)`)

// chosen are words of a run that chooses its questions one by one.
var chosen = regexp.MustCompile(`^--ids$|^[a-z]+:\d+-\d+`)

// cheap makes a command's arguments cheap for a test: a run or a sweep asks two or three questions, and a command that needs a
// server, a GPU or much time gets --help, which is obeyed after its flags are parsed.
func cheap(args []string) []string {
	needs := slices.ContainsFunc(args, elsewhere.MatchString)
	switch verb := args[0]; {
	case needs:
		return append(args, "--help")
	case verb == "run" && slices.Contains(args, "--again"): // on the run as it is
		return instead(args, "--max-tokens", "64", "--quiet")
	case verb == "run" && slices.Contains(args, "--resume"):
		return instead(args, "--limit", "3", "--quiet")
	case verb == "run" && slices.Contains(args, "--direct"):
		return instead(args, "--limit", "2", "--quiet")
	case verb == "run" && slices.ContainsFunc(args, chosen.MatchString): // excludes limit
		return instead(args, "--max-tokens", "16", "--quiet")
	case verb == "run":
		return instead(args, "--limit", "2", "--shots", "0", "--max-tokens", "16", "--quiet")
	case verb == "sweep":
		return instead(args, "--limit", "2", "--shots", "0", "--max-tokens", "4", "--threads", "1", "--quiet")
	case slices.Contains([]string{"bench", "doctor", "engine", "models"}, verb), verb == "data" && args[1] == "pull":
		return append(args, "--help")
	}
	return args
}

// instead gives a command these flags in the place of its own: each is given once.
func instead(args []string, flags ...string) []string {
	args = slices.Clone(args)
	for i, flag := range flags {
		at := slices.Index(args, flag)
		switch {
		case !strings.HasPrefix(flag, "--") || at < 0:
		case i+1 < len(flags) && !strings.HasPrefix(flags[i+1], "--"):
			args = slices.Delete(args, at, at+2)
		default:
			args = slices.Delete(args, at, at+1)
		}
	}
	return append(args, flags...)
}

var (
	// testNames matches the tests in a row of the table of harnesses.
	testNames = regexp.MustCompile(`Test[A-Za-z0-9]+|Scripts/[a-z]+`)
	// quoted matches a command or a flag in such a row.
	quoted    = regexp.MustCompile("`([^`]+)`")
	flagNames = regexp.MustCompile(`(?:^| )--([a-z-]+)`)
)

// TestEveryFeatureOfOtherHarnessesHasItsCommandAndTest checks that the tests and commands of docs/harnesses.md exist.
func TestEveryFeatureOfOtherHarnessesHasItsCommandAndTest(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/harnesses.md")
	assert.NilError(t, err)
	tests, commands := declaredTests(t), commandLine(&console.Program{}).Commands
	rows := 0
	for line, cells := range tableRows(string(page), " test ") {
		rows++
		if !assert.Check(t, len(cells) == 4, "line %d has %d cells, not 4", line, len(cells)) {
			continue
		}
		named := testNames.FindAllString(cells[3], -1)
		assert.Check(t, len(named) != 0, "line %d names no test: %s", line, cells)
		for _, name := range named {
			assert.Check(t, tests[name], "line %d names %s, and there is no such test", line, name)
		}
		checkCommand(t, line, cells[2], commands)
	}
	assert.Check(t, rows >= 60, "the page has %d rows", rows)
}

// TestCommandsBesideThoseOfOtherToolsExist parses the commands in the second column of docs/from-other-tools.md.
func TestCommandsBesideThoseOfOtherToolsExist(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/from-other-tools.md")
	assert.NilError(t, err)
	commands, rows := commandLine(&console.Program{}).Commands, 0
	for line, cells := range tableRows(string(page), " what differs ") {
		rows++
		if assert.Check(t, len(cells) == 3, "line %d has %d cells, not 3", line, len(cells)) {
			checkCommand(t, line, cells[1], commands)
		}
	}
	assert.Check(t, rows >= 25, "the page has %d rows", rows)
}

// tableRows yields the rows of a page's tables with their lines, without headers, which end in the given cell.
func tableRows(page, header string) iter.Seq2[int, []string] {
	return func(yield func(int, []string) bool) {
		for i, line := range strings.Split(page, "\n") {
			inner, isRow := strings.CutPrefix(line, "| ")
			cells := strings.Split(strings.TrimSuffix(" "+inner, "|"), "|")
			if isRow && cells[len(cells)-1] != header && !yield(i+1, cells) {
				return
			}
		}
	}
}

// declaredTests are the test functions and the stories of the module.
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
	stories, err := filepath.Glob("testdata/*/*.txtar")
	assert.NilError(t, err)
	for _, story := range stories {
		declared["Scripts/"+strings.TrimSuffix(filepath.Base(story), ".txtar")] = true
	}
	return declared
}

// checkCommand checks that a cell's commands and their flags exist; a flag alone belongs to the first command.
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

// find finds the command, or its subcommand, at the beginning of the words.
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
