package llamatest

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"text/template"
)

// A StandIn stands in for a published build of llama.cpp: shared libraries with all functions that package llama asks for. They say
// what they are and which architectures they know, and compute nothing.
type StandIn struct {
	Release string   // in the name of its libllama; "": none
	Knows   []string // architectures
	Unknown bool     // its parameters lie where no known release has them
	Lacks   string   // a function that it has not
	OnLoad  string   // C code that is run while it is loaded
}

//go:embed standin.c.tmpl
var standInSource string

// HasCompiler says whether stand-ins can be made here.
func HasCompiler() bool {
	_, err := exec.LookPath("gcc")
	return err == nil && runtime.GOOS == "linux"
}

// Write compiles the libraries into a folder, with gcc.
func (s StandIn) Write(folder string) error {
	names, err := functionNames()
	if err != nil {
		return err
	}
	var source bytes.Buffer
	data := struct {
		StandIn
		Functions []string
	}{StandIn: s}
	for _, name := range names {
		if name != s.Lacks && !strings.Contains(standInSource, name+"(") {
			data.Functions = append(data.Functions, name)
		}
	}
	if err := template.Must(template.New("").Parse(standInSource)).Execute(&source, data); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	name := "libllama.so"
	if s.Release != "" {
		name = "libllama." + s.Release + ".so"
	}
	for library, code := range map[string]string{
		name:              source.String(),
		"libggml.so":      "void ggml_backend_load_all_from_path(const char *folder) {}\n",
		"libggml-base.so": "void ggml_log_set(void *say, void *data) {}\n",
	} {
		command := exec.Command("gcc", "-shared", "-fPIC", "-O0", "-w", "-x", "c", "-", "-o", filepath.Join(folder, library))
		command.Stdin = strings.NewReader(code)
		if said, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", library, err, said)
		}
	}
	for _, backend := range []string{"libggml-cpu-x.so", "libggml-vulkan.so"} { // nothing loads them
		if err := os.WriteFile(filepath.Join(folder, backend), nil, 0o755); err != nil {
			return err
		}
	}
	return nil
}

var functionField = regexp.MustCompile(`(?m)^\t((?:Llama|Ggml)\w+)\s+func\(`)

// functionNames are those of C that package llama asks for, read from its table.
func functionNames() ([]string, error) {
	_, here, _, _ := runtime.Caller(0)
	table, err := os.ReadFile(filepath.Join(filepath.Dir(here), "..", "llama", "functions.go"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, field := range functionField.FindAllSubmatch(table, -1) {
		inner := regexp.MustCompile(`[A-Z]`).ReplaceAllStringFunc(string(field[1]), func(c string) string { return "_" + strings.ToLower(c) })
		names = append(names, strings.TrimPrefix(inner, "_"))
	}
	return names, nil
}
