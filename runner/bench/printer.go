package bench

import (
	"fmt"
	"io"
	"strings"
)

// A Printer writes rows one by one, as they are measured.
type Printer[R any] interface {
	Print(R) error
	// Close writes what comes after the last row.
	Close() error
}

// A Column of a table: its name, its width (below zero where it is set to the left) and what a row has in it.
type Column[R any] struct {
	Name  string
	Width int
	Cell  func(R) string
}

// Formats are the names of those that rows are written in, the default first.
var Formats = []string{"md", "json", "jsonl", "csv"}

// NewPrinter returns the printer of a format. columns and build are those of a table; the other formats write each of
// R's fields under its JSON key.
func NewPrinter[R any](format string, w io.Writer, columns []Column[R], build Build) (Printer[R], error) {
	switch format {
	case "md", "markdown":
		return &markdown[R]{w: w, columns: columns, build: build}, nil
	case "json":
		return &array[R]{w: w}, nil
	case "jsonl":
		return lines[R]{w: w}, nil
	case "csv":
		return &sheet[R]{w: w}, nil
	}
	return nil, fmt.Errorf("bench: there is no format %q; there are %s", format, strings.Join(Formats, ", "))
}
