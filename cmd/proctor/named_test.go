package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
)

// theirs are flags of other programs that texts name: llama-server, vLLM, lm-eval, Slurm.
var theirs = []string{"--cache-ram", "--no-warmup", "--max-model-len", "--max-logprobs", "--enable-auto-tool-choice", "--log_samples", "--array"}

// Messages of the packages below cmd advise by naming flags; a flag that is renamed or goes must not be advised any longer.
func TestTextsNameFlagsThatThereAre(t *testing.T) {
	known := append([]string{"--help", "--help-all", "--version"}, theirs...)
	var add func([]*cli.Command)
	add = func(commands []*cli.Command) {
		for _, command := range commands {
			for _, flag := range command.Flags {
				for _, name := range flag.Names() {
					known = append(known, flags.Dashed(name))
				}
			}
			add(command.Subcommands)
		}
	}
	add(commandLine(&console.Program{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}).Commands)
	named, found := regexp.MustCompile(`(?:^|[^\w-])(--[a-z][\w-]*)`), 0
	for _, source := range sources(t) {
		if source.test || within(source.folder, "scripts") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), "", source.text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if text, is := node.(*ast.BasicLit); is && text.Kind == token.STRING {
				for _, flag := range named.FindAllStringSubmatch(text.Value, -1) {
					if found++; !slices.Contains(known, flag[1]) {
						t.Errorf("%s names %s, and no command has it: %s", source.path, flag[1], text.Value)
					}
				}
			}
			return true
		})
	}
	texts, err := filepath.Glob("words/*.txt")
	if err != nil || len(texts) < 20 {
		t.Fatalf("%d texts of help: %v", len(texts), err)
	}
	for _, path := range texts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, flag := range named.FindAllStringSubmatch(string(text), -1) {
			if found++; !slices.Contains(known, flag[1]) {
				t.Errorf("%s names %s, and no command has it", path, flag[1])
			}
		}
	}
	if found < 100 {
		t.Errorf("%d flags named: the texts are not found", found)
	}
}
