package page

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// A Cell is a figure with the name of its column, such as ci.low.
type Cell struct{ Name, Value string }

// A Wide is CSV with a line per thing, and a column for every figure that any thing has.
type Wide struct {
	lines [][]Cell
	err   error // of the first thing that is not JSON, kept for Write
}

// Cells are the figures of a thing's JSON: first those named in first, in that order, then all others outside lists, and those in lists by
// subject, as subjects.biology.accuracy. It omits empty figures and those named in left.
func (w *Wide) Cells(thing any, first []string, left ...string) []Cell {
	var encoded bytes.Buffer
	if err := JSON(&encoded, thing); err != nil && w.err == nil {
		w.err = err
	}
	cells := slices.DeleteFunc(figures("", gjson.ParseBytes(encoded.Bytes())), func(c Cell) bool {
		return c.Value == "" || slices.ContainsFunc(left, func(part string) bool {
			return c.Name == part || strings.HasPrefix(c.Name, part+".")
		})
	})
	place := func(c Cell) int {
		if i := slices.Index(first, c.Name); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(cells, func(a, b Cell) int { return place(a) - place(b) })
	return cells
}

// Add adds a line.
func (w *Wide) Add(cells ...Cell) { w.lines = append(w.lines, cells) }

// Write writes all lines.
func (w *Wide) Write(to io.Writer) error {
	if w.err != nil {
		return w.err
	}
	var names []string
	at := map[string]int{}
	for _, cells := range w.lines {
		for _, cell := range cells {
			if _, known := at[cell.Name]; !known {
				at[cell.Name] = len(names)
				names = append(names, cell.Name)
			}
		}
	}
	out := NewCSV(to)
	out.Write(names) // errors come with Flush
	for _, cells := range w.lines {
		line := make([]string, len(names))
		for _, cell := range cells {
			line[at[cell.Name]] = cell.Value
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// WriteColumns writes CSV with a line per thing. Each column is the figure at a path of its JSON: its name alone, or a name and the path.
func WriteColumns[T any](w io.Writer, columns []string, things iter.Seq2[T, error]) error {
	out := NewCSV(w)
	line, at := make([]string, len(columns)), map[string]int{}
	for i, column := range columns {
		name, path, apart := strings.Cut(column, " ")
		if !apart {
			path = name
		}
		line[i], at[path] = name, i
	}
	out.Write(line) // errors come with Flush
	for thing, err := range things {
		if err != nil {
			return err
		}
		encoded, err := json.Marshal(thing)
		if err != nil {
			return err
		}
		clear(line)
		for _, figure := range figures("", gjson.ParseBytes(encoded)) {
			if i, known := at[figure.Name]; known {
				line[i] = figure.Value
			}
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// figures are the figures of a JSON value, each with its path. Null is an empty figure.
func figures(path string, value gjson.Result) (all []Cell) {
	if value.Type == gjson.Number {
		return []Cell{{path, value.Raw}}
	}
	if !value.IsObject() && !value.IsArray() {
		return []Cell{{path, value.String()}}
	}
	value.ForEach(func(key, member gjson.Result) bool {
		name := key.Str
		if value.IsArray() {
			name = member.Get("subject").Str
		}
		if name != "" {
			all = append(all, figures(strings.TrimPrefix(path+"."+name, "."), member)...)
		}
		return true
	})
	return all
}

// A CSV writes lines of cells that can't harm their reader: control characters are made [Visible], and cells that a spreadsheet would take
// for formulas, unless they are numbers, begin with an apostrophe, which makes them texts there.
type CSV struct{ *csv.Writer }

// NewCSV writes to w; errors come with Flush.
func NewCSV(w io.Writer) CSV { return CSV{csv.NewWriter(w)} }

// Write writes a line.
func (c CSV) Write(cells []string) {
	line := make([]string, len(cells))
	for i, cell := range cells {
		line[i] = Visible(cell)
		if cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			continue
		}
		if _, err := strconv.ParseFloat(cell, 64); err != nil {
			line[i] = "'" + line[i]
		}
	}
	c.Writer.Write(line)
}
