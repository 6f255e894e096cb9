package bench

import (
	"fmt"
	"io"
	"strings"
)

// markdown writes llama-bench's table: the head with the first row, and the build below the last.
type markdown[R any] struct {
	w       io.Writer
	columns []Column[R]
	build   Build
	begun   bool
}

func (m *markdown[R]) Print(row R) error {
	var out strings.Builder
	if !m.begun {
		m.begun = true
		m.line(&out, func(c Column[R]) string { return c.Name })
		out.WriteString("|")
		for _, c := range m.columns {
			fmt.Fprintf(&out, " %s |", rule(c.Width))
		}
		out.WriteString("\n")
	}
	m.line(&out, func(c Column[R]) string { return c.Cell(row) })
	_, err := io.WriteString(m.w, out.String())
	return err
}

// Close writes nothing where there was no row.
func (m *markdown[R]) Close() error {
	if !m.begun {
		return nil
	}
	_, err := fmt.Fprintf(m.w, "\n%s\n", m.build.Line())
	return err
}

func (m *markdown[R]) line(out *strings.Builder, cell func(Column[R]) string) {
	out.WriteString("|")
	for _, c := range m.columns {
		fmt.Fprintf(out, " %*s |", c.Width, clean(cell(c)))
	}
	out.WriteString("\n")
}

// clean keeps a model's description from breaking the table.
func clean(cell string) string { return strings.Map(inCell, cell) }

func inCell(r rune) rune {
	if r < ' ' || r == '|' {
		return ' '
	}
	return r
}

// rule is the line below a column's name; the colon sets it to the right.
func rule(width int) string {
	if width < 0 {
		return strings.Repeat("-", -width)
	}
	return strings.Repeat("-", width-1) + ":"
}
