package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A package's name before a message tells nothing to whoever reads it, and the parts of a command line are called commands.
// Ollama is a program that people know, so that its errors begin with its name.
func TestMessagesSpeakAsTheirReadersDo(t *testing.T) {
	verbs := regexp.MustCompile(`\b[Vv]erbs?\b`)
	for _, source := range sources(t) {
		if source.test || within(source.folder, "scripts") || strings.HasSuffix(source.folder, "test") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, source.path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		prefix := file.Name.Name + ": "
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(literal.Value)
			if strings.HasPrefix(text, prefix) && prefix != "ollama: " {
				t.Errorf("%s: %q begins with the package's name", source.path, text)
			}
			if verbs.MatchString(text) && strings.ContainsRune(text, ' ') {
				t.Errorf("%s: %q: the word is command", source.path, text)
			}
			return true
		})
	}
}
