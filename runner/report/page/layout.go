package page

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/jedib0t/go-pretty/v6/text"

	"proctor/backends/setting"
)

// A Page is a report laid out for people.
type Page struct {
	Alert     string // shown before everything else: why the figures are not valid
	Title     string
	Notices   []string // shown above all sections
	Sections  []Section
	Footnotes []string // shown below everything else
	More      string   // the last line, the command that shows the rest; never wrapped, so that it can be copied
}

// FirstColumns and FirstLines are the size of a first screen: a small terminal, less its prompt.
const (
	FirstColumns = 80
	FirstLines   = 20
)

// Add appends the sections that are not empty.
func (p *Page) Add(sections ...Section) {
	for _, s := range sections {
		if s.Says() {
			p.Sections = append(p.Sections, s)
		}
	}
}

// Few keeps the first lines, and a line with the number of the others.
func Few(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append(slices.Clone(lines[:most]), fmt.Sprintf("%d more: %s shows them", len(lines)-most, setting.Full))
}

// A Section has any of these parts, in this order. Drawings only show what is in the table, too: only documents for a browser have them.
type Section struct {
	Title    string
	ID       string // id in a document for a browser, unless it is made of the title
	Below    bool   // part of the section before, in a document for a browser
	Warnings []string
	Drawings []Drawing
	Facts    Facts
	Fold     string // label of the button that shows the table and the notes, in a document for a browser; empty for no button
	Table    *Grid
	Text     *Text
	Notes    []string
}

// A Drawing shows figures in a browser.
type Drawing interface{ Block() template.HTML }

// Says tells whether the section has anything besides drawings.
func (s *Section) Says() bool {
	return len(s.Facts) > 0 || s.Table != nil || s.Text != nil || len(s.Warnings) > 0 || len(s.Notes) > 0
}

// A Text is written by others and shown unchanged; the bytes from Start to End are marked, none if both are equal.
type Text struct {
	Text       string
	Start, End int
}

// A Fact is a named figure, with an explanation.
type Fact struct{ Name, Value, Detail string }

// Facts are a list of facts, one per line.
type Facts []Fact

// Add appends a fact; value and detail may be empty.
func (f *Facts) Add(name, value, detail string) { *f = append(*f, Fact{name, value, detail}) }

// A Grid is a table; its first column has words, the others have figures.
type Grid struct {
	Head []string
	Rows [][]string
}

// Add appends a row.
func (g *Grid) Add(cells ...string) { g.Rows = append(g.Rows, cells) }

// between separates the columns of a table.
const between = "  "

// widths are the columns' widths with their separators, in characters.
func (g *Grid) widths() []int {
	widths := make([]int, len(g.Head))
	for i := range g.Head {
		for _, row := range append([][]string{g.Head}, g.Rows...) {
			if i < len(row) {
				widths[i] = max(widths[i], len(between)+text.StringWidth(Visible(row[i])))
			}
		}
	}
	return widths
}

// Width is the table's width, in characters.
func (g *Grid) Width() int {
	width := 0
	for _, each := range g.widths() {
		width += each
	}
	return width
}

// DropEmpty removes the columns that have only a head.
func (g *Grid) DropEmpty() {
	for i, name := range slices.Backward(slices.Clone(g.Head)) {
		if !slices.ContainsFunc(g.Rows, func(row []string) bool { return i < len(row) && row[i] != "" }) {
			g.Narrow(0, name)
		}
	}
}

// Shorten cuts the names in the first column at the front, so that the table fits most characters: paths differ at the end. It always
// leaves some of each name.
func (g *Grid) Shorten(most int) {
	const least = 12
	over := g.Width() - most
	room := max(g.widths()[0]-len(between)-over, least)
	for _, row := range g.Rows {
		if name := []rune(row[0]); over > 0 && len(name) > room {
			row[0] = "…" + string(name[len(name)-room+1:])
		}
	}
}

// Narrow removes columns until the table fits most characters: only those named in least, the least wanted first. It returns the removed
// ones, in the table's order.
func (g *Grid) Narrow(most int, least ...string) (left []string) {
	width, widths, out := g.Width(), g.widths(), make([]bool, len(g.Head))
	for i, name := range g.Head {
		if slices.Contains(least, name) {
			width -= widths[i]
			out[i] = true
		}
	}
	for _, name := range slices.Backward(least) {
		if i := slices.Index(g.Head, name); i >= 0 && width+widths[i] <= most {
			width += widths[i]
			out[i] = false
		}
	}
	narrow := func(row []string) (kept []string) {
		for i, cell := range row {
			if i >= len(out) || !out[i] {
				kept = append(kept, cell)
			}
		}
		return kept
	}
	for i, name := range g.Head {
		if out[i] {
			left = append(left, name)
		}
	}
	for i, row := range g.Rows {
		g.Rows[i] = narrow(row)
	}
	g.Head = narrow(g.Head)
	return left
}
