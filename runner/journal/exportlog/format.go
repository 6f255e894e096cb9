package exportlog

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"text/template"

	"proctor/runner/journal/output"
)

// A file is one file of the log, by its name in the folder.
type file struct {
	name    string
	content []byte
}

// Write writes the log into a new or empty folder, since scripts read every file in it. The folder appears whole or not at all.
func (r *Run) Write(folder string) (files int, err error) {
	all, err := r.files()
	if err != nil {
		return 0, err
	}
	return len(all), output.NewFolder(folder, func(folder string) error {
		for _, each := range all {
			path := filepath.Join(folder, each.name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), output.WriteFile(path, each.content)); err != nil {
				return err
			}
		}
		return nil
	})
}

//go:embed shapes
var files embed.FS

// shapes are templates of lm-eval's JSON for an item and a run.
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
