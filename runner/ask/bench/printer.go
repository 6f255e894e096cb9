package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"proctor/backends"
)

// A Printer writes rows one by one, as they are measured.
type Printer struct {
	format  string
	w       io.Writer
	table   Table
	printed int             // rows
	scatter bool            // one of the rows has scattered repetitions
	busy    strings.Builder // a line for each row that other programs slowed down
}

// A Table has what a table's head and foot depend on, besides the kind of its rows.
type Table struct {
	Build Build
	Show  []string // keys of the settings that are not the default
	Ways  []string // names of the ways that are compared
}

// A Row has JSON keys, and columns of a table: a [Test], an [Eval] or a [Comparison].
type Row interface {
	columns(Table) []Column
	others() backends.Load
}

// Formats are the names of those that rows are written in, the default first.
var Formats = []string{"md", "json"}

// NewPrinter returns the printer of a format.
func NewPrinter(format string, w io.Writer, table Table) (*Printer, error) {
	if !slices.Contains(Formats, format) {
		return nil, fmt.Errorf("there is no format %q; there are %s", format, strings.Join(Formats, ", "))
	}
	return &Printer{format: format, w: w, table: table}, nil
}

// Print writes a row.
func (p *Printer) Print(row Row) error {
	var out bytes.Buffer
	first := p.printed == 0
	p.printed++
	if others := row.others(); others.Busy() {
		fmt.Fprintf(&p.busy, "\nbusy machine, row %d: %s", p.printed, others)
	}
	if p.format == "md" {
		p.markdown(&out, row.columns(p.table), first)
	} else {
		before := ",\n  "
		if first {
			before = "[\n  "
		}
		text, err := json.MarshalIndent(row, "  ", "  ")
		if err != nil {
			return err
		}
		out.WriteString(before)
		out.Write(text)
	}
	_, err := p.w.Write(out.Bytes())
	return err
}

// Close writes what follows the last row.
func (p *Printer) Close() error {
	end := ""
	switch {
	case p.format == "json" && p.printed == 0:
		end = "[]\n"
	case p.format == "json":
		end = "\n]\n"
	case p.printed > 0:
		end = fmt.Sprintf("\nbuild: %s\n", p.table.Build.Commit)
		if p.scatter {
			end = fmt.Sprintf("\n! the repetitions differ by more than ± %.0f %%: something else was computing, or they are short; "+
				"measure again on an idle machine, with more of them\n", 100*scattering) + end
		}
		if p.busy.Len() > 0 {
			end = p.busy.String() + "\n" + end
		}
	}
	_, err := io.WriteString(p.w, end)
	return err
}

// markdown writes a line of llama-bench's table, the first one below the head.
func (p *Printer) markdown(out *bytes.Buffer, columns []Column, first bool) {
	line := func(cell func(Column) string) {
		out.WriteString("|")
		for _, c := range columns {
			fmt.Fprintf(out, " %*s |", c.Width, strings.Map(inCell, cell(c)))
		}
		out.WriteString("\n")
	}
	if first {
		line(func(c Column) string { return c.Name })
		line(func(c Column) string { // a colon right-aligns the column
			if c.Width < 0 {
				return strings.Repeat("-", -c.Width)
			}
			return strings.Repeat("-", c.Width-1) + ":"
		})
	}
	line(func(c Column) string {
		p.scatter = p.scatter || strings.HasSuffix(c.Cell, scattered)
		return c.Cell
	})
}

// inCell keeps a model's description from breaking the table.
func inCell(r rune) rune {
	if r < ' ' || r == '|' {
		return ' '
	}
	return r
}
