// Package table reads files of rows: parquet, JSON Lines, a JSON array, CSV. It knows nothing of questions.
//
//	Open(bytes) → Table{Format, Columns} ── Rows ──→ Row{Number, Line} ── At("choices.text") ──→ text, number, list, nothing
//
// The format is recognised by content. Rows are decoded one at a time, anew in each pass.
package table

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// Options say how a CSV file is to be read; other formats say it themselves.
type Options struct {
	Name      string // of the file, for people; .tsv means tabs
	Separator rune   // 0 to find it
	NoHeader  bool   // the first line is a row; columns are called 1, 2, 3…
}

// A Table is a file whose rows can be gone through.
type Table struct {
	Format  string   // for people: "parquet", "CSV, separated by semicolons"
	Columns []string // in the file's order, those inside of others with dots; of JSON, those of the first rows
	rows    func(columns []string, each func(Row) bool) error
}

// A Row is one of a table.
type Row struct {
	Number int            // from 1: a row of parquet or CSV, an element of a JSON array, a line of JSON Lines
	Line   int            // that it begins at, as errors name it; in parquet its number
	Bad    string         // why it could not be decoded; empty if it could
	Cells  map[string]any // string, json.Number, bool, nil, []any or, in JSON, map[string]any
}

// byteOrderMark is the mark that some editors put before the first line.
const byteOrderMark = "\ufeff"

// arrow says what a file of Arrow's is, and where its rows are to be had otherwise.
const arrow = "Arrow; take the parquet files instead, which Hugging Face has in the branch refs/convert/parquet"

// Open recognises the format of the bytes. They are kept, not copied.
func Open(data []byte, o Options) (*Table, error) {
	if bytes.HasPrefix(data, []byte(parquetMagic)) {
		return openParquet(data)
	}
	for magic, what := range map[string]string{
		"\xff\xfe": "UTF-16 text; save it as UTF-8", "\xfe\xff": "UTF-16 text; save it as UTF-8",
		"PK\x03\x04": "a zip archive or a spreadsheet; unpack it, or save it as CSV (UTF-8)",
		"\x1f\x8b":   "compressed (gzip); unpack it",
		"ARROW1":     arrow, "\xff\xff\xff\xff": arrow,
	} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return nil, errors.New(what)
		}
	}
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	start := bytes.TrimSpace(data)
	switch {
	case len(start) == 0:
		return nil, errors.New("empty file")
	case start[0] == '[':
		return openArray(data)
	case start[0] == '{':
		return openLines(data)
	}
	return openCSV(data, o)
}

// Rows goes through the rows, until each says that it has seen enough. Cells of other columns than those named may be left
// out; nil is for all.
func (t *Table) Rows(columns []string, each func(Row) bool) error { return t.rows(columns, each) }

// At returns a row's value in a column: string, json.Number, bool, []any or, for nothing, nil. A dot leads into an object, or into each object
// of a list: choices.text.
func (r Row) At(column string) any {
	if value, ok := r.Cells[column]; ok {
		return value
	}
	return inside(r.Cells, column)
}

func inside(value any, path string) any {
	switch value := value.(type) {
	case map[string]any:
		if inner, ok := value[path]; ok {
			return inner
		}
		for i := range len(path) {
			if inner, ok := value[path[:i]]; ok && path[i] == '.' {
				return inside(inner, path[i+1:])
			}
		}
	case []any:
		all := make([]any, len(value))
		for i, each := range value {
			all[i] = inside(each, path)
		}
		return all
	}
	return nil
}

// Has says whether the table has a column, or columns inside of it.
func (t *Table) Has(column string) bool {
	return slices.ContainsFunc(t.Columns, func(have string) bool {
		return have == column || strings.HasPrefix(have, column+".")
	})
}
