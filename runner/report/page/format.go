package page

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
)

// A Format is a way to write a T.
type Format[T any] struct {
	Name  string // the value of --format
	Ext   string // extension of its files, with the dot
	Write func(io.Writer, T) error
}

// Formats are the formats of a T, the default first.
type Formats[T any] []Format[T]

// FormatsOf are the formats of everything that can be laid out as a page.
func FormatsOf[T any](layOut func(T) Page) Formats[T] {
	return Formats[T]{
		{"text", ".txt", func(w io.Writer, t T) error { return layOut(t).Text(w) }},
		{"markdown", ".md", func(w io.Writer, t T) error { return layOut(t).Markdown(w) }},
		{"json", ".json", func(w io.Writer, t T) error { return JSON(w, t) }},
	}
}

// JSON writes figures for programs. Control characters are escaped, which does not change their meaning.
func JSON(w io.Writer, figures any) error {
	encoder := json.NewEncoder(Screen(w))
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(figures)
}

// JSONLines writes things for programs, one per line.
func JSONLines[T any](w io.Writer, things iter.Seq2[T, error]) error {
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for thing, err := range things {
		if err == nil {
			err = lines.Encode(thing)
		}
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

// Named finds a format by its name.
func (f Formats[T]) Named(name string) (Format[T], error) {
	for _, each := range f {
		if each.Name == name {
			return each, nil
		}
	}
	return Format[T]{}, fmt.Errorf("there is no format %q; there are %s", name, f.Names())
}

// Of returns the format with a name or, if that is empty, the format for the extension of path. Without an extension, or a path, that is
// the default.
func (f Formats[T]) Of(name, path string) (Format[T], error) {
	if name != "" {
		return f.Named(name)
	}
	ending := filepath.Ext(path)
	if ending == "" {
		return f[0], nil
	}
	var endings []string
	for _, each := range f {
		if each.Ext == ending {
			return each, nil
		}
		endings = append(endings, each.Ext)
	}
	return Format[T]{}, fmt.Errorf("%s: there is no format for %s: let the file's name end in %s, or give %s: %s",
		path, ending, strings.Join(endings, ", "), setting.Format, f.Names())
}

// Chosen finds a format by its name, or by the path's extension if the name is empty. With everything, text and markdown come from full,
// else from short. The other formats always have everything, so asking for more is an error.
func Chosen[T any](short, full Formats[T], name, path string, everything bool) (Format[T], error) {
	f, err := short.Of(name, path)
	switch {
	case err != nil || !everything:
		return f, err
	case f.Name != "text" && f.Name != "markdown":
		return f, fmt.Errorf("%s is of text and markdown: %s has everything without it", setting.Full, f.Name)
	}
	return full.Named(f.Name)
}

// Names lists the formats for people: text, markdown, json.
func (f Formats[T]) Names() string {
	return format.List(f, func(f Format[T]) string { return f.Name })
}
