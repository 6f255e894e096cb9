package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// sampled is how many rows' keys are the columns of a JSON file.
const sampled = 100

func openLines(data []byte) (*Table, error) {
	first, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	if !json.Valid(first) && json.Valid(data) {
		return nil, errors.New("one JSON object over several lines; want one object a line, or an array of objects")
	}
	t := &Table{Format: "JSON Lines", rows: func(_ []string, each func(Row) bool) error {
		number := 0
		for line := range bytes.Lines(data) {
			number++
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			r := Row{Number: number, Line: number}
			r.Cells, r.Bad = object(line)
			if !each(r) {
				return nil
			}
		}
		return nil
	}}
	return t, t.findColumns()
}

func openArray(data []byte) (*Table, error) {
	t := &Table{Format: "JSON", rows: func(_ []string, each func(Row) bool) error {
		decoder := json.NewDecoder(bytes.NewReader(data))
		line, counted := 1, 0
		lineAt := func(offset int) int {
			line += bytes.Count(data[counted:offset], []byte("\n"))
			counted = offset
			return line
		}
		if _, err := decoder.Token(); err != nil { // the bracket
			return arrayError(err, lineAt(int(decoder.InputOffset())))
		}
		for number := 1; decoder.More(); number++ {
			var element json.RawMessage
			if err := decoder.Decode(&element); err != nil {
				return arrayError(err, lineAt(int(decoder.InputOffset())))
			}
			r := Row{Number: number, Line: lineAt(int(decoder.InputOffset()) - len(element))}
			r.Cells, r.Bad = object(element)
			if !each(r) {
				return nil
			}
		}
		if _, err := decoder.Token(); err != nil {
			return arrayError(err, lineAt(len(data)))
		}
		if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
			return fmt.Errorf("line %d: more follows the JSON array", lineAt(int(decoder.InputOffset())))
		}
		return nil
	}}
	return t, t.findColumns()
}

func arrayError(err error, line int) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON array does not end; was the file cut off?")
	}
	return fmt.Errorf("malformed JSON after line %d: %w", line, err)
}

// findColumns looks through the first rows.
func (t *Table) findColumns() error {
	seen := map[string]bool{}
	rows := 0
	return t.rows(nil, func(r Row) bool {
		for _, name := range slices.Sorted(maps.Keys(r.Cells)) {
			for _, column := range columnsOf(name, r.Cells[name]) {
				if !seen[column] {
					seen[column] = true
					t.Columns = append(t.Columns, column)
				}
			}
		}
		rows++
		return rows < sampled
	})
}

// columnsOf are the columns that a value stands in: itself, or what is inside of it.
func columnsOf(name string, value any) []string {
	if list, ok := value.([]any); ok && len(list) > 0 {
		if _, ok := list[0].(map[string]any); ok {
			value = list[0]
		}
	}
	members, ok := value.(map[string]any)
	if !ok {
		return []string{name}
	}
	var columns []string
	for _, key := range slices.Sorted(maps.Keys(members)) {
		columns = append(columns, columnsOf(name+"."+key, members[key])...)
	}
	return columns
}

// object decodes a row, or says why it is none.
func object(text []byte) (cells map[string]any, bad string) {
	if !utf8.Valid(text) { // encoding/json would put U+FFFD in the place of such bytes
		return nil, "text is not UTF-8"
	}
	if half, at := loneSurrogate(text); half != "" { // here, too
		return nil, fmt.Sprintf("%s at byte %d is half of a character (a lone surrogate); write the whole character", half, at)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&cells); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, "a JSON " + wrong.Value + ", want an object"
		}
		return nil, "malformed JSON: " + err.Error()
	}
	if cells == nil {
		return nil, "a JSON null, want an object"
	}
	if rest := bytes.TrimSpace(text[decoder.InputOffset():]); len(rest) > 0 {
		return nil, "malformed JSON: more follows the object"
	}
	return cells, ""
}

// loneSurrogate finds the first escape such as \ud800 that is not half of a pair, and where it begins, from 1.
func loneSurrogate(text []byte) (escape string, at int) {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		unit := escaped(text[i:])
		if unit < 0 {
			i++ // what is escaped may be a backslash
			continue
		}
		if utf16.IsSurrogate(unit) {
			if utf16.DecodeRune(unit, escaped(text[i+unitLength:])) == utf8.RuneError {
				return string(text[i : i+unitLength]), i + 1
			}
			i += unitLength
		}
		i += unitLength - 1
	}
	return "", 0
}

const unitLength = len(`\ud800`)

// escaped is the UTF-16 unit whose escape text begins with, or −1.
func escaped(text []byte) rune {
	if len(text) < unitLength || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(text[2:unitLength]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}
