package page

import (
	"fmt"
	"slices"

	"proctor/backends/setting"
)

// A Page is a report laid out for people.
type Page struct {
	Alert     string // before everything else: why nothing below is to be believed
	Title     string
	Notices   []string // above all sections
	Sections  []Section
	Footnotes []string // below everything else
}

// Add appends the sections that have anything to show.
func (p *Page) Add(sections ...Section) {
	for _, s := range sections {
		if len(s.Facts) > 0 || s.Table != nil || s.Text != nil || len(s.Warnings) > 0 || len(s.Notes) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
}

// Few are the first lines of many, with a line that says how many more there are.
func Few(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append(slices.Clone(lines[:most]), fmt.Sprintf("and %d more, which %s shows", len(lines)-most, setting.Full))
}

// A Section has any of its parts, in this order.
type Section struct {
	Title    string
	Warnings []string
	Facts    Facts
	Table    *Grid
	Text     *Text
	Notes    []string
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
