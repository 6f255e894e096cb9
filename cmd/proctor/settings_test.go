package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
	"golang.org/x/tools/txtar"
	"gotest.tools/v3/assert"

	"proctor/backends/setting"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
)

// flagsOf are the names of all flags of commands and their subcommands.
func flagsOf(commands []*cli.Command) (all []string) {
	for _, c := range commands {
		for _, flag := range c.Flags {
			all = append(all, flag.Names()...)
		}
		all = append(all, flagsOf(c.Subcommands)...)
	}
	return all
}

func everyFlag() []string {
	return flagsOf(commandLine(&console.Program{Stdout: io.Discard, Stderr: io.Discard}).Commands)
}

// literals calls each with every string in a file's code, and returns the package's name.
func literals(t *testing.T, path string, each func(text string)) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.SkipObjectResolution)
	assert.NilError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, _ := strconv.Unquote(literal.Value)
			each(text)
		}
		return true
	})
	return file.Name.Name
}

// theirs are other programs' flags that texts name: llama-server, llama-gguf-split, vLLM, lm-eval, Slurm.
var theirs = []string{"cache-ram", "no-warmup", "max-model-len", "max-logprobs", "enable-auto-tool-choice", "log_samples", "output_path",
	"reasoning-budget", "special", "array", "merge"}

// TestTextsNameFlagsThatThereAre checks that messages and help name no flag that was renamed or removed.
func TestTextsNameFlagsThatThereAre(t *testing.T) {
	known := slices.Concat(everyFlag(), theirs, []string{"help", "help-all", "version"})
	named, found := regexp.MustCompile(`(?:^|[^\w-])--([a-z][\w-]*)`), 0
	check := func(path, text string) {
		for _, flag := range named.FindAllStringSubmatch(text, -1) {
			if found++; !slices.Contains(known, flag[1]) {
				t.Errorf("%s names --%s, and no command has it: %s", path, flag[1], text)
			}
		}
	}
	for _, source := range sources(t) {
		if !source.test && !within(source.folder, "scripts") {
			literals(t, source.path, func(text string) { check(source.path, text) })
		}
	}
	for path, archive := range wordsOfHelp(t) {
		check(path, string(txtar.Format(archive)))
	}
	assert.Check(t, found >= 100, "%d flags named: the texts are not found", found)
}

// TestMessagesSpeakAsTheirReadersDo checks that no message begins with its package's name, which readers don't know, and that messages call
// the parts of a command line commands. Ollama is a known program, so its errors begin with its name.
func TestMessagesSpeakAsTheirReadersDo(t *testing.T) {
	verbs := regexp.MustCompile(`\b[Vv]erbs?\b`)
	for _, source := range sources(t) {
		if source.test || within(source.folder, "scripts") || strings.HasSuffix(source.folder, "test") {
			continue
		}
		var texts []string
		name := literals(t, source.path, func(text string) { texts = append(texts, text) })
		for _, text := range texts {
			if strings.HasPrefix(text, name+": ") && name != "ollama" {
				t.Errorf("%s: %q begins with the package's name", source.path, text)
			}
			if verbs.MatchString(text) && strings.ContainsRune(text, ' ') {
				t.Errorf("%s: %q: the word is command", source.path, text)
			}
		}
	}
}

// wordsOfHelp are the commands' help texts, by their paths.
func wordsOfHelp(t *testing.T) map[string]*txtar.Archive {
	t.Helper()
	paths, err := filepath.Glob("console/words/*.txt")
	assert.Assert(t, err == nil && len(paths) >= 20, "%d texts: %v", len(paths), err)
	texts := map[string]*txtar.Archive{}
	for _, path := range paths {
		if texts[path], err = txtar.ParseFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

func TestEverySettingIsAFlag(t *testing.T) {
	known, settings := everyFlag(), 0
	literals(t, "backends/setting/names.go", func(text string) {
		settings++
		if flag := strings.Fields(flags.Spelled(setting.Setting(text)))[0]; !slices.Contains(known, strings.TrimPrefix(flag, "--")) {
			t.Errorf("no command has %s, for the setting %q", flag, text)
		}
	})
	assert.Check(t, settings != 0, "no settings")
}

// ofOthers are other programs' flags.
var ofOthers = []string{"--version", "%s --version does not tell a version: %w"}

// namingSettings are the folders whose messages name settings, and no flag.
var namingSettings = []string{"backends", "prompts", "runner"}

// TestFlagsAreNamedInCommandsAlone checks that other packages name settings, which the command line spells as flags.
func TestFlagsAreNamedInCommandsAlone(t *testing.T) {
	typed, known := regexp.MustCompile(`--([a-z][a-z-]*)`), everyFlag()
	for _, source := range sources(t) {
		if source.test || !slices.ContainsFunc(namingSettings, func(room string) bool { return within(source.folder, room) }) {
			continue
		}
		literals(t, source.path, func(text string) {
			for _, flag := range typed.FindAllStringSubmatch(text, -1) {
				if slices.Contains(known, flag[1]) && !slices.Contains(ofOthers, text) {
					t.Errorf("%s: %q names %s: name the setting, %s knows its flag", source.path, text, flag[0], settings)
				}
			}
		})
	}
}

// TestWordsAreOfFlagsThatThereAre checks that no help text outlives its flag.
func TestWordsAreOfFlagsThatThereAre(t *testing.T) {
	app := commandLine(&console.Program{Stdout: io.Discard, Stderr: io.Discard})
	names := regexp.MustCompile(`(?m)^([\w-]+)(?:, [\w-]+)*(?: \[.*?\])?: `)
	for path, archive := range wordsOfHelp(t) {
		known := everyFlag() // shared by several commands
		if command := app.Command(strings.TrimSuffix(filepath.Base(path), ".txt")); command != nil {
			known = flagsOf([]*cli.Command{command})
		}
		for _, section := range archive.Files {
			if slices.Contains([]string{"more", "short", "refused"}, section.Name) || strings.HasPrefix(section.Name, "command ") {
				continue
			}
			for _, name := range names.FindAllStringSubmatch(string(section.Data), -1) {
				assert.Check(t, slices.Contains(known, name[1]), "%s has words for --%s, which its command has not", path, name[1])
			}
		}
	}
}
