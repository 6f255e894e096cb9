// Package table reads files of rows: parquet, JSON Lines, a JSON array, CSV. It knows nothing of questions.
//
//	Read(name, bytes) → Table{Format, Columns, Rows} → Row{Number, Line, Cells["choices.text"]}
//
// The format is recognised by content. Values inside of objects are columns with dots, in JSON as in parquet.
package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Table is what a file holds.
type Table struct {
	Format  string   // for people: "parquet", "CSV, separated by semicolons"
	Columns []string // of CSV in the file's order
	Rows    []Row
}

// A Row is one of a table.
type Row struct {
	Number int            // from 1: a row of parquet or CSV, an element of a JSON array, a line of JSON Lines
	Line   int            // that it begins at, as errors name it; in parquet its number
	Bad    string         // why it could not be decoded; empty if it could
	Cells  map[string]any // string, json.Number, bool, nil or []any
}

const arrow = "Arrow; take the parquet files instead, which Hugging Face has in the branch refs/convert/parquet"

// strangers are the beginnings of files that are none of the formats, and what to do about each.
var strangers = map[string]string{
	"\xff\xfe": "UTF-16 text; save it as UTF-8", "\xfe\xff": "UTF-16 text; save it as UTF-8",
	"PK\x03\x04": "a zip archive or a spreadsheet; unpack it, or save it as CSV (UTF-8)",
	"\x1f\x8b":   "compressed (gzip); unpack it",
	"ARROW1":     arrow, "\xff\xff\xff\xff": arrow,
}

// Read reads a file, whose name counts only where it ends in .tsv.
func Read(name string, data []byte) (*Table, error) {
	if bytes.HasPrefix(data, []byte(parquetMagic)) {
		return readParquet(data)
	}
	for magic, what := range strangers {
		if bytes.HasPrefix(data, []byte(magic)) {
			return nil, errors.New(what)
		}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !bytes.Contains(data, []byte("\n")) {
		data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	}
	number := 0
	for line := range bytes.Lines(data) { // encoding/json would put U+FFFD in the place of bad bytes
		if number++; !utf8.Valid(line) {
			return nil, fmt.Errorf("line %d: text is not UTF-8; save the file as UTF-8", number)
		}
	}
	switch start := bytes.TrimSpace(data); {
	case len(start) == 0:
		return nil, errors.New("empty file")
	case start[0] == '[':
		return readArray(data)
	case start[0] == '{':
		return readLines(data)
	}
	return readCSV(name, data)
}

// add appends a row that is an object, or says why it is none.
func (t *Table) add(number, line int, object map[string]any, bad string) {
	r := Row{Number: number, Line: line, Bad: bad, Cells: map[string]any{}}
	for name, value := range object {
		flatten(r.Cells, name, value)
	}
	delete(r.Cells, "") // no column is called so
	for _, column := range slices.Sorted(maps.Keys(r.Cells)) {
		if !slices.Contains(t.Columns, column) {
			t.Columns = append(t.Columns, column)
		}
	}
	t.Rows = append(t.Rows, r)
}

// flatten puts a value into cells: the members of an object, and of each object of a list, under names of their own.
func flatten(cells map[string]any, name string, value any) {
	if object, ok := value.(map[string]any); ok && len(object) > 0 {
		for key, inner := range object {
			flatten(cells, name+"."+key, inner)
		}
		return
	}
	list, _ := value.([]any)
	members := map[string][]any{}
	for i, each := range list {
		object, ok := each.(map[string]any)
		if !ok {
			members = nil
			break
		}
		for key, inner := range object {
			if members[key] == nil {
				members[key] = make([]any, len(list))
			}
			members[key][i] = inner
		}
	}
	if len(members) == 0 {
		cells[name] = value
		return
	}
	for key, values := range members {
		cells[name+"."+key] = values
	}
}

// Text is a value as text, also a number; ok is false for what is neither, and true for nothing.
func Text(value any) (text string, ok bool) {
	switch value := value.(type) {
	case nil:
		return "", true
	case string:
		return value, true
	case json.Number:
		return value.String(), true
	}
	return "", false
}

// Blank says whether a value is nothing, or text without a character that shows.
func Blank(value any) bool {
	text, ok := Text(value)
	return ok && strings.TrimSpace(text) == ""
}

// Whole is a value as a whole number, also one that is written as text, or as 1.0.
func Whole(value any) (int64, bool) {
	text, _ := Text(value)
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	const exact = 1 << 53
	return int64(f), err == nil && f == float64(int64(f)) && f > -exact && f < exact
}

// Kind words a value for people.
func Kind(value any) string {
	if Blank(value) {
		return "nothing"
	}
	switch value := value.(type) {
	case string:
		return "a string"
	case json.Number:
		return "a number " + value.String()
	case bool:
		return fmt.Sprint(value)
	case []any:
		return "a list"
	}
	return "an object"
}
