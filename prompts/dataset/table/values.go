package table

import (
	"encoding/json"
	"path"
	"strconv"
	"strings"
)

// Text is a value as text, also a number; ok is false for what is neither, and true for nothing.
func Text(value any) (string, bool) {
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

// Silent says whether a column has nothing to say in any row, and how many rows there are.
func (t *Table) Silent(column string) (rows int, silent bool) {
	silent = true
	err := t.Rows([]string{column}, func(r Row) bool {
		rows++
		text, isText := Text(r.At(column))
		silent = isText && strings.TrimSpace(text) == ""
		return silent
	})
	return rows, silent && err == nil
}

// Whole is a value as a whole number, also one that is written as text.
func Whole(value any) (int64, bool) {
	text, ok := value.(string)
	if number, isNumber := value.(json.Number); isNumber {
		text, ok = number.String(), true
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n, ok && err == nil
}

// Kind words a value for people.
func Kind(value any) string {
	switch value := value.(type) {
	case nil:
		return "nothing"
	case string:
		return "a string"
	case json.Number:
		return "a number " + value.String()
	case bool:
		return "a bool"
	case []any:
		return "a list"
	}
	return "an object"
}

// Extension returns the ending that a file is stored with, by its format. A .tsv file keeps its ending, which says what separates its fields.
func Extension(format, from string) string {
	switch own := strings.ToLower(path.Ext(from)); {
	case extensions[format] != "":
		return extensions[format]
	case own == ".tsv":
		return own
	}
	return ".csv"
}

// extensions are those of the formats but CSV, which has its separator in its name.
var extensions = map[string]string{"parquet": ".parquet", "JSON Lines": ".jsonl", "JSON": ".json"}
