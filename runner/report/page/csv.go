package page

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// A Cell is a figure with its name: of a wide table the column, as in ci.low.
type Cell struct{ Name, Value string }

// Named says which sections of a thing's JSON have members with figures of the same kind each, and what names a member: one
// of its figures, or its own key where that is empty.
type Named map[string]string

// CSVWide writes one line a thing, under the names of all figures that any of them has.
func CSVWide(w io.Writer, things [][]Cell) error {
	var names []string
	at := map[string]int{}
	for _, cells := range things {
		for _, cell := range cells {
			if _, known := at[cell.Name]; !known {
				at[cell.Name] = len(names)
				names = append(names, cell.Name)
			}
		}
	}
	out := NewCSV(w)
	out.Write(names) // errors come with Flush
	for _, cells := range things {
		line := make([]string, len(names))
		for _, cell := range cells {
			line[at[cell.Name]] = cell.Value
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// Wide is a thing's JSON as the cells of one line: the figures of first, in this order, then what else stands in no list. Of
// members that are named, the given figures alone, as in subjects.biology.accuracy; what left names and empty figures are left out.
func Wide(thing any, named Named, of, first, left []string) ([]Cell, error) {
	var cells []Cell
	err := named.each(thing, func(section, name string, figure Cell) {
		path := strings.TrimPrefix(section+"."+figure.Name, ".")
		if figure.Value == "" || inList.MatchString(path) || slices.ContainsFunc(left, func(part string) bool {
			return path == part || strings.HasPrefix(path, part+".")
		}) {
			return
		}
		if name != "" {
			if !slices.Contains(of, figure.Name) {
				return
			}
			path = section + "." + name + "." + figure.Name
		}
		cells = append(cells, Cell{path, figure.Value})
	})
	place := func(c Cell) int {
		if i := slices.Index(first, c.Name); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(cells, func(a, b Cell) int { return place(a) - place(b) })
	return cells, err
}

// inList matches the path of a list's element, which has its place for a name.
var inList = regexp.MustCompile(`(^|\.)[0-9]+(\.|$)`)

// each goes through the figures of a thing's JSON. A figure of the whole thing is in no section.
func (n Named) each(thing any, yield func(section, name string, figure Cell)) error {
	var encoded bytes.Buffer
	if err := JSON(&encoded, thing); err != nil {
		return err
	}
	for section, value := range members(gjson.ParseBytes(encoded.Bytes())) {
		figures := func(name string, value gjson.Result) {
			flat("", value, func(figure Cell) {
				if figure.Name == "" {
					yield("", "", Cell{section, figure.Value})
					return
				}
				yield(section, name, figure)
			})
		}
		by, several := n[section]
		if !several {
			figures("", value)
			continue
		}
		for name, member := range members(value) {
			if by != "" {
				called := member.Get(by)
				if !called.Exists() {
					return fmt.Errorf("%.40s has no figure %s", member.Raw, by)
				}
				name = textOf(called)
			}
			figures(name, member)
		}
	}
	return nil
}

// members are an object's in their order, or a list's, named by their place from 1.
func members(of gjson.Result) iter.Seq2[string, gjson.Result] {
	return func(yield func(string, gjson.Result) bool) {
		of.ForEach(func(key, value gjson.Result) bool {
			if of.IsArray() {
				key.Str = strconv.Itoa(int(key.Num) + 1)
			}
			return yield(key.Str, value)
		})
	}
}

// flat goes through a value: a plain one is a figure, the members of an object or a list each have a longer path.
func flat(path string, value gjson.Result, yield func(Cell)) {
	if !value.IsObject() && !value.IsArray() {
		yield(Cell{path, textOf(value)})
		return
	}
	for name, member := range members(value) {
		flat(strings.TrimPrefix(path+"."+name, "."), member, yield)
	}
}

// textOf is a plain value without its quotes; null is nothing.
func textOf(value gjson.Result) string {
	switch value.Type {
	case gjson.Null:
		return ""
	case gjson.String:
		return value.Str
	}
	return value.Raw
}

// A CSV writes lines of cells that nobody obeys: see [Visible], and of a cell that a spreadsheet would take for a formula, and that is
// no number, an apostrophe is the first character, which makes it a text there.
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
