package page

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	sections, err := membersOf(encoded.Bytes())
	if err != nil {
		return err
	}
	for _, section := range sections {
		by, several := n[section.name]
		members := []member{{"", section.value}}
		if several {
			if members, err = membersOf(section.value); err != nil {
				return err
			}
		}
		for _, m := range members {
			if by != "" {
				if m.name, err = textOf(m.value, by); err != nil {
					return err
				}
			}
			if err := flat("", m.value, func(figure Cell) {
				if figure.Name == "" {
					yield("", "", Cell{section.name, figure.Value})
					return
				}
				yield(section.name, m.name, figure)
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// textOf is a member's figure.
func textOf(value json.RawMessage, name string) (string, error) {
	figures, err := membersOf(value)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(figures, func(m member) bool { return m.name == name })
	if i < 0 {
		return "", fmt.Errorf("%.40s has no figure %s", value, name)
	}
	return unquoted(figures[i].value), nil
}

// flat goes through a value: a plain one is a figure, the members of an object or a list each have a longer path.
func flat(path string, value json.RawMessage, yield func(Cell)) error {
	if value[0] != '{' && value[0] != '[' {
		yield(Cell{path, unquoted(value)})
		return nil
	}
	members, err := membersOf(value)
	if err != nil {
		return err
	}
	for _, member := range members {
		if err := flat(strings.TrimPrefix(path+"."+member.name, "."), member.value, yield); err != nil {
			return err
		}
	}
	return nil
}

// A member is one of an object or a list.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf lists an object's members in their order, or a list's, named by their place from 1.
func membersOf(value json.RawMessage) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	open, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	var members []member
	for decoder.More() {
		m := member{name: fmt.Sprint(len(members) + 1)}
		if open == json.Delim('{') {
			key, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			m.name = key.(string)
		}
		if err := decoder.Decode(&m.value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
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

// unquoted is a plain JSON value without its quotes; null is nothing.
func unquoted(value json.RawMessage) string {
	var text string
	switch {
	case string(value) == "null":
		return ""
	case json.Unmarshal(value, &text) != nil:
		return string(value)
	}
	return text
}
