package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// root is the module's root, relative to this package.
const root = "../.."

// layers lists which of proctor's own packages each folder may import. A folder's rule holds for the folders below
// it that have no rule of their own; a target stands for itself and everything below it, unless it ends in "!".
var layers = []struct {
	folder string
	may    []string
}{
	{"cmd", []string{"proctor/runner", "proctor/prompts", "proctor/backends"}},
	{"cmd/proctor/console", []string{"proctor/runner", "proctor/prompts", "proctor/backends", "proctor/cmd/proctor/flags"}},
	{"cmd/proctor/flags", []string{"proctor/runner", "proctor/prompts", "proctor/backends"}},
	{"runner/ask", []string{"proctor/runner", "proctor/prompts", "proctor/backends!"}},
	{"runner/bundle", []string{"proctor/runner/journal"}},
	{"runner/journal", []string{"proctor/backends!", "proctor/prompts/task"}},
	{"runner/journal/importlog", []string{ // its tests mark the logs they read
		"proctor/backends!", "proctor/backends/stream", "proctor/prompts/task", "proctor/runner/journal", "proctor/runner/mark/grade",
	}},
	{"runner/mark", []string{ // everything counts a text that repeats itself as one
		"proctor/backends!", "proctor/backends/stream", "proctor/prompts/task", "proctor/runner/journal",
	}},
	{"runner/mark/stats", nil},
	{"runner/report", []string{"proctor/backends!", "proctor/prompts/task", "proctor/runner/journal", "proctor/runner/mark"}},
	{"runner/report/schema", []string{"proctor/runner"}}, // its test knows every document
	{"prompts", nil},
	{"prompts/task", nil},
	{"prompts/chat", nil},
	{"backends", nil},
	{"backends/gguf", nil},
	{"backends/stream", nil},
	{"backends/machine", []string{"proctor/backends!"}},
	{"backends/servers", []string{"proctor/backends!", "proctor/backends/stream"}},
	{"backends/llamacpp", []string{
		"proctor/backends!", "proctor/backends/gguf", "proctor/backends/machine", "proctor/backends/stream",
		"proctor/backends/backendtest",
	}},
	{"backends/llamacpp/kernels", []string{"proctor/backends/llamacpp/shared"}},
	{"scripts", []string{"proctor/prompts", "proctor/backends", "proctor/runner"}},
}

// settings are names only: messages of every package have them, and they import nothing.
const settings = "proctor/backends/setting"

// everywhere are packages that tests may use everywhere: a backend, a browser, the files beside the repository and their logs.
var everywhere = []string{
	"proctor/backends/scripted", "proctor/scripts/tests/sharedtest", "proctor/scripts/tests/chromiumtest", "proctor/runner/journal/importlog",
	"proctor/scripts/tests/errortest", "proctor/scripts/tests/headertest",
}

// below are the folders that work on a journal alone: no model, no dataset, no clock, no cgo.
var below = []string{"runner/mark", "runner/report"}

func TestImportsPointOneWay(t *testing.T) {
	for _, source := range sources(t) {
		rule := -1
		for i, l := range layers {
			if within(source.folder, l.folder) && (rule < 0 || len(l.folder) > len(layers[rule].folder)) {
				rule = i
			}
		}
		if rule < 0 {
			t.Errorf("%s: its folder has no rule in layers", source.path)
			continue
		}
		for _, path := range source.imports {
			if !strings.HasPrefix(path, "proctor/") || within(strings.TrimPrefix(path, "proctor/"), layers[rule].folder) {
				continue
			}
			if path == settings || source.test && slices.Contains(everywhere, path) {
				continue
			}
			assert.Check(t, slices.ContainsFunc(layers[rule].may, func(target string) bool { return allows(target, path) }),
				"%s imports %s: %s may import only %v", source.path, path, layers[rule].folder, layers[rule].may)
		}
	}
}

func TestAskGivesDataAndWritesNoDocuments(t *testing.T) {
	for _, source := range sources(t) {
		if source.test || !within(source.folder, "runner/ask") {
			continue
		}
		for _, path := range source.imports {
			assert.Check(t, !within(path, "proctor/runner/report"), "%s imports %s: cmd joins what ask gives with a document",
				source.path, path)
		}
	}
}

// answerers are the backends' folders, with the others' parts that they use.
var answerers = map[string][]string{
	"backends/llamacpp": nil, "backends/ollama": nil, "backends/openai": nil, "backends/gollama": nil, "backends/scripted": nil,
	"backends/embedded": {"backends/llamacpp"}, "backends/isolated": {"backends/llamacpp"},
}

// answererOf is the backend folder of a folder or a package, or "".
func answererOf(path string) string {
	for room := range answerers {
		if within(path, room) {
			return room
		}
	}
	return ""
}

func TestBackendsMeetInTheRegistryAlone(t *testing.T) {
	for _, source := range sources(t) {
		own := answererOf(source.folder)
		if source.test || own == "" && !within(source.folder, "cmd") {
			continue // tests may use several
		}
		for _, path := range source.imports {
			other := answererOf(strings.TrimPrefix(path, "proctor/"))
			if other != "" && other != own && !slices.Contains(answerers[own], other) {
				t.Errorf("%s imports %s: only proctor/backends/registry knows who answers", source.path, path)
			}
		}
	}
}

func TestOnlyTestsImportWhatIsForTests(t *testing.T) {
	for _, source := range sources(t) {
		if source.test || within(source.folder, "scripts") || strings.HasSuffix(source.folder, "test") {
			continue
		}
		for _, path := range source.imports {
			forTests := strings.HasPrefix(path, "proctor/") && strings.HasSuffix(path, "test")
			if forTests && path != "proctor/backends/embedded/selftest" {
				t.Errorf("%s imports %s, which is for tests", source.path, path)
			}
		}
	}
}

func TestNothingBelowTheJournalReachesOut(t *testing.T) {
	for _, source := range sources(t) {
		if source.test || !slices.ContainsFunc(below, func(folder string) bool { return within(source.folder, folder) }) {
			continue
		}
		for _, path := range source.imports {
			assert.Check(t, !slices.Contains([]string{"C", "os", "net", "net/http", "os/exec"}, path),
				"%s imports %s: a report is made from the journal alone", source.path, path)
		}
		assert.Check(t, !strings.Contains(source.text, "time.Now("),
			"%s reads the clock: a report is made from the journal alone", source.path)
	}
}

// few are the folders that may import a package, or C. "!" ends a path that stands for no package below it.
var few = map[string][]string{
	"gonum.org/v1/gonum/stat": {"runner/mark/stats", "scripts/tests/recount"}, // which checks the figures once more
	// setting.Command quotes for every system
	"al.essio.dev/pkg/shellescape":   {"backends/setting"},
	"github.com/google/renameio/v2!": {"runner/journal/output", "scripts"}, // caches have renameio/maybe
	"C": {
		"backends/llamacpp/builtin", "backends/llamacpp/llama", "backends/llamacpp/kernels", "scripts/tools/controlmodel",
	},
}

func TestFewFoldersImportWhatIsDoneInOnePlace(t *testing.T) {
	for _, source := range sources(t) {
		for imported, folders := range few {
			if slices.ContainsFunc(folders, func(folder string) bool { return within(source.folder, folder) }) {
				continue
			}
			for _, path := range source.imports {
				orders := path == "gonum.org/v1/gonum/stat/combin" // counts orders, no statistics
				assert.Check(t, !allows(imported, path) || orders, "%s imports %s: only %q may", source.path, path, folders)
			}
		}
	}
}

// TestOnePackageReplacesFiles keeps other packages from handling devices and links themselves. A quantised model is
// written to a name that its cache chose.
func TestOnePackageReplacesFiles(t *testing.T) {
	for _, source := range sources(t) {
		in := func(folder string) bool { return within(source.folder, folder) }
		for _, call := range []string{"os.WriteFile(", "os.Rename("} {
			if (in("runner") || in("cmd")) && !source.test && !slices.Contains(renamed, source.path) && strings.Contains(source.text, call) {
				t.Errorf("%s calls %s…): files are written by proctor/runner/journal/output", source.path, call)
			}
		}
	}
}

// renamed are the files that may rename their output themselves: a model in its cache, and package output.
var renamed = []string{"runner/ask/sweep/cache.go", "runner/journal/output/folder.go", "runner/journal/output/replace_windows.go"}

// allows says whether a rule's target permits the import path.
func allows(target, path string) bool {
	if exact, ok := strings.CutSuffix(target, "!"); ok {
		return path == exact
	}
	return within(path, target)
}

// within says whether path is folder or lies below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// source is one Go file of the module.
type source struct {
	path, folder string // relative to the root, with slashes
	test         bool
	imports      []string
	text         string
}

// sources parses the module's files itself: a test can't tell when `go list` answers from its cache.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	for _, top := range []string{"cmd", "runner", "backends", "prompts", "scripts"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly)
			if err != nil {
				return err
			}
			relative := filepath.ToSlash(strings.TrimPrefix(path, filepath.FromSlash(root+"/")))
			found := source{path: relative, test: strings.HasSuffix(path, "_test.go"), text: string(text)}
			found.folder = relative[:strings.LastIndexByte(relative, '/')]
			for _, spec := range file.Imports {
				found.imports = append(found.imports, strings.Trim(spec.Path.Value, "`\""))
			}
			all = append(all, found)
			return nil
		})
		assert.NilError(t, err)
	}
	return all
}
