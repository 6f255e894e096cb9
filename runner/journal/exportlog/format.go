package exportlog

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"proctor/runner/journal/output"
)

// A Format is the shape of another harness's logs.
type Format struct {
	Name    string
	RuleSet string // what the harness counts by
	files   func(*Run) ([]file, error)
}

// Formats are the shapes that a run can be written in.
var Formats = []Format{
	{"tiger", "tiger", tiger},
	{"lm-eval", "lm-eval", lmEval},
	{"evalscope", "evalscope", evalscope},
}

// Lookup finds a format by its name.
func Lookup(name string) (Format, error) {
	var names []string
	for _, f := range Formats {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("a run is exported as %s, not as %q", strings.Join(names, ", "), name)
}

// A file is one that a format writes, by its name in the folder.
type file struct {
	name    string
	content []byte
}

// Write writes the run into a folder, which is made and has to be empty: the scripts that read such a folder read all that is in
// it.
func (f Format) Write(run *Run, folder string) (files int, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if len(entries) > 0 {
		return 0, fmt.Errorf("%s is not empty, and whoever reads the log reads all that is in its folder: name a new folder", folder)
	}
	all, err := f.files(run)
	if err != nil {
		return 0, err
	}
	for _, each := range all {
		path := filepath.Join(folder, each.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return 0, err
		}
		if err := output.WriteFile(path, each.content); err != nil {
			return 0, err
		}
	}
	return len(all), nil
}

//go:embed shapes
var files embed.FS

// shapes are what the harnesses write of an item or a run, as JSON of any layout.
var shapes = template.Must(template.New("").Funcs(template.FuncMap{
	"hash": hash,
	"json": func(value any) (string, error) {
		text, err := encode(value, "")
		return string(text), err
	},
}).ParseFS(files, "shapes/*"))

// shaped fills a shape.
func shaped(shape string, value any, indent string) ([]byte, error) {
	var to bytes.Buffer
	if err := shapes.ExecuteTemplate(&to, shape+".json.gotmpl", value); err != nil {
		return nil, err
	}
	return encode(json.RawMessage(to.Bytes()), indent)
}

// lines is a file of JSON Lines, each of the same shape.
func lines[T any](shape string, values []T) ([]byte, error) {
	var all []byte
	for _, value := range values {
		one, err := shaped(shape, value, "")
		if err != nil {
			return nil, err
		}
		all = append(append(all, one...), '\n')
	}
	return all, nil
}

// encode is a value as JSON, with the characters that Python's json leaves as they are.
func encode(value any, indent string) ([]byte, error) {
	var to bytes.Buffer
	e := json.NewEncoder(io.Writer(&to))
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(value)
	text := bytes.TrimSuffix(to.Bytes(), []byte("\n"))
	for escaped, plain := range map[string]string{`\u2028`: "\u2028", `\u2029`: "\u2029"} {
		text = bytes.ReplaceAll(text, []byte(escaped), []byte(plain))
	}
	return text, err
}

// fileSafe makes a subject part of a file's name, as the harnesses write it; what is no name gets a checksum.
func fileSafe(subject string) string {
	if name := strings.ReplaceAll(subject, " ", "-"); output.Folder(name) == name {
		return subject
	}
	return output.Folder(subject)
}
