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
	Alert     string // before everything else: why nothing below is to be believed
	Title     string
	Notices   []string // above all sections
	Sections  []Section
	Footnotes []string // below everything else
	More      string   // the last line: the command that shows the rest; never wrapped, so that it can be copied
}

// FirstColumns and FirstLines are what a first screen has room for: a small terminal's, less its prompt.
const (
	FirstColumns = 80
	FirstLines   = 20
)

// Add appends the sections that have anything to show.
func (p *Page) Add(sections ...Section) {
	for _, s := range sections {
		if s.Says() {
			p.Sections = append(p.Sections, s)
		}
	}
}

// Few are the first lines of many, with a line that says how many more there are.
func Few(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append(slices.Clone(lines[:most]), fmt.Sprintf("%d more: %s shows them", len(lines)-most, setting.Full))
}

// A Section has any of its parts, in this order. What drawings show stands in the table, too: only documents for a browser have them.
type Section struct {
	Title    string
	ID       string // its place in a document for a browser, where the title is not it
	Below    bool   // in a document for a browser it belongs to the section before
	Warnings []string
	Drawings []Drawing
	Facts    Facts
	Fold     string // in a document for a browser, the button that the table and the notes are behind; empty for none
	Table    *Grid
	Text     *Text
	Notes    []string
}

// A Drawing shows figures in a browser.
type Drawing interface{ Block() template.HTML }

// Says tells whether the section has anything beside drawings.
func (s *Section) Says() bool {
	return len(s.Facts) > 0 || s.Table != nil || s.Text != nil || len(s.Warnings) > 0 || len(s.Notes) > 0
}

// A Text is somebody else's, shown as it is; what lies between the bytes Start and End is marked, nothing where they are the
// same.
type Text struct {
	Text       string
	Start, End int
}

// A Fact is a figure with its name, and what explains it.
type Fact struct{ Name, Value, Detail string }

// Facts are a list of them, one a line.
type Facts []Fact

// Add appends a fact; value and detail may be empty.
func (f *Facts) Add(name, value, detail string) { *f = append(*f, Fact{name, value, detail}) }

// A Grid is a table; its first column is words, the others are figures.
type Grid struct {
	Head []string
	Rows [][]string
}

// Add appends a row.
func (g *Grid) Add(cells ...string) { g.Rows = append(g.Rows, cells) }

// between is what stands before each column of a table.
const between = "  "

// widths are those of the columns, in characters, with what stands before each.
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

// Width is the table's, in characters.
func (g *Grid) Width() int {
	width := 0
	for _, each := range g.widths() {
		width += each
	}
	return width
}

// DropEmpty leaves out the columns that have a head and nothing below it.
func (g *Grid) DropEmpty() {
	for i, name := range slices.Backward(slices.Clone(g.Head)) {
		if !slices.ContainsFunc(g.Rows, func(row []string) bool { return i < len(row) && row[i] != "" }) {
			g.Narrow(0, name)
		}
	}
}

// Shorten cuts the names in the first column at their beginnings where the table is wider than so many characters: of paths, what tells
// them apart is at the end. Some of each name is left however wide the table is.
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

// Narrow leaves columns out where the table is wider than so many characters: those of the names, the least wanted first, without
// which the others fit. What is left out is returned, in the table's order; of the other columns none is, however wide they are.
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
