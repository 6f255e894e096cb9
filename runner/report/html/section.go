package html

import (
	"cmp"
	"embed"
	"html/template"
	"strings"

	"proctor/runner/report/page"
)

//go:embed assets/*.html
var files embed.FS

var layouts = template.Must(template.New("").Funcs(template.FuncMap{
	"place": Place, "first": func(i int) bool { return i == 0 }, "terms": explained,
	"few":  func(lines []string) []string { return lines[:min(fewLines, len(lines))] },
	"rest": func(lines []string) []string { return lines[min(fewLines, len(lines)):] },
}).ParseFS(files, "assets/*.html"))

// fewLines is how many opening lines a document shows, the others behind a button: the first figures should be near.
const fewLines = 3

// render fills a template of assets. It can't fail: tests fill every template, and it writes to memory.
func render(name string, data any) Block {
	var b strings.Builder
	if err := layouts.ExecuteTemplate(&b, name, data); err != nil {
		panic(err)
	}
	return Block(b.String())
}

// A Head opens a document.
type Head struct {
	Kind    string // kind of document, such as report
	Alert   string // banner that says why the figures below are not valid
	Title   string
	Verdict string   // the answer to the reader's first question
	Decides []string // what the verdict rests on, or what would decide it
	Notices []string
	Links   []Link
}

// A Link leads to a place in the document.
type Link struct{ Href, Text string }

// Place is a section's id in the document, made of its title unless it has one: tags-and-causes.
func Place(s page.Section) string {
	return cmp.Or(s.ID, strings.Trim(strings.Join(strings.FieldsFunc(strings.ToLower(s.Title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-"), "-"))
}

// Part is a section with its subsections.
func Part(sections ...page.Section) Block { return render("part", sections) }

// Begin lays out a document's head, with links to its parts and to more, and the sections that are not empty. Its main element stays open,
// for [Browse] to add to, until the document is written.
func (d *Document) Begin(head Head, sections []page.Section, more ...Link) {
	var parts [][]page.Section
	for _, s := range sections {
		switch last := len(parts) - 1; {
		case !s.Says() && len(s.Drawings) == 0:
		case s.Below && last >= 0:
			parts[last] = append(parts[last], s)
		default:
			parts = append(parts, []page.Section{s})
			head.Links = append(head.Links, Link{"#" + Place(s), s.Title})
		}
	}
	head.Links = append(head.Links, more...)
	d.Title, d.started = head.Title, true
	d.Body = append(d.Body, render("signs", nil), render("head", head), "<main>") // the drawings share their signs
	for _, part := range parts {
		d.Body = append(d.Body, Part(part...))
	}
}

// A Listing is a table whose cells may have links.
type Listing struct {
	Head []string
	Rows [][]Cell
}

// A Cell has a text, or links.
type Cell struct {
	Text  string
	Links []Link
}

// Block is the table.
func (l Listing) Block() Block { return render("listing", l) }

// Beside are drawings side by side, if there is room.
type Beside []Drawing

// Block returns all of them in one block.
func (b Beside) Block() Block { return render("beside", b) }
