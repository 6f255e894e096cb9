package page

import (
	"bufio"
	"io"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Text writes the page for a terminal.
func (p Page) Text(w io.Writer) error {
	out := bufio.NewWriter(w)
	put(out, p.Title)
	for _, notice := range p.Notices {
		put(out, "! "+notice)
	}
	for _, s := range p.Sections {
		put(out, "")
		put(out, s.Title)
		for _, warning := range s.Warnings {
			put(out, "  ! "+warning)
		}
		if len(s.Facts) > 0 {
			put(out, factTable(s.Facts).Render())
		}
		if s.Table != nil {
			put(out, figureTable(s.Table).Render())
		}
		for _, note := range s.Notes {
			put(out, "  "+note)
		}
	}
	return out.Flush()
}

// put writes lines without the padding at their ends, and without control characters, which a model's name may hold;
// errors come with Flush.
func put(out *bufio.Writer, block string) {
	for line := range strings.SplitSeq(block, "\n") {
		out.WriteString(strings.TrimRight(strings.Map(printable, line), " ") + "\n")
	}
}

func printable(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}

// bare is a table without lines but the one under its head.
func bare() table.Style {
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format = table.FormatOptions{}
	style.Box.PaddingLeft, style.Box.PaddingRight = "  ", ""
	return style
}

func factTable(facts Facts) table.Writer {
	t := table.NewWriter()
	t.SetStyle(bare())
	for _, f := range facts {
		if f.Detail != "" {
			t.AppendRow(table.Row{f.Name, f.Value, f.Detail})
			continue
		}
		t.AppendRow(table.Row{f.Name, f.Value})
	}
	return t
}

func figureTable(g *Grid) table.Writer {
	t := table.NewWriter()
	t.SetStyle(bare())
	t.AppendHeader(row(g.Head))
	for _, cells := range g.Rows {
		t.AppendRow(row(cells))
	}
	var columns []table.ColumnConfig
	for i := 2; i <= len(g.Head); i++ {
		columns = append(columns, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	return t
}

func row(cells []string) table.Row {
	r := make(table.Row, len(cells))
	for i, cell := range cells {
		r[i] = cell
	}
	return r
}
