package page

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// A Format is a way of writing a T.
type Format[T any] struct {
	Name  string // as --format has it
	Ext   string // of a file that holds it, with its dot
	Write func(io.Writer, T) error
}

// Formats are those that a T has, the default first.
type Formats[T any] []Format[T]

// FormatsOf are the formats of everything that can be laid out as a page.
func FormatsOf[T any](layOut func(T) Page) Formats[T] {
	return Formats[T]{
		{"text", ".txt", func(w io.Writer, t T) error { return layOut(t).Text(w) }},
		{"markdown", ".md", func(w io.Writer, t T) error { return layOut(t).Markdown(w) }},
		{"json", ".json", func(w io.Writer, t T) error { return JSON(w, t) }},
	}
}

// JSON writes figures for programs.
func JSON(w io.Writer, figures any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(figures)
}

// Named finds a format.
func (f Formats[T]) Named(name string) (Format[T], error) {
	for _, format := range f {
		if format.Name == name {
			return format, nil
		}
	}
	return Format[T]{}, fmt.Errorf("there is no format %q; there are %s", name, f.Names())
}

// Names lists the formats for people: text, markdown, json.
func (f Formats[T]) Names() string {
	names := make([]string, len(f))
	for i, format := range f {
		names[i] = format.Name
	}
	return strings.Join(names, ", ")
}
