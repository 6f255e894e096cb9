package html

import (
	"cmp"
	"html/template"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"proctor/runner/report/page"
)

// A File holds one drawing of a document as SVG, with the page's styles in its light colours.
type File struct {
	Name    string // accuracy.svg
	Drawing Drawing
}

// standing is a drawing that can have a file of its own.
type standing interface {
	shows() string // as [Strips.Shows]
	alone() *sheet
}

// Files are the drawings of a document's sections. Each is named after what it shows, or after its section if that has no other drawing; a
// name that is taken gets a number.
func Files(sections []page.Section) []File {
	var files []File
	taken := map[string]int{}
	for _, section := range sections {
		var all []Drawing
		for _, d := range section.Drawings {
			if several, beside := d.(Beside); beside {
				all = append(all, several...)
			} else {
				all = append(all, d)
			}
		}
		for _, d := range all {
			drawing, stands := d.(standing)
			if !stands { // such as a table
				continue
			}
			name := cmp.Or(Slug(drawing.shows()), Place(section))
			if taken[name]++; taken[name] > 1 {
				name += "-" + strconv.Itoa(taken[name])
			}
			files = append(files, File{name + ".svg", d})
		}
	}
	return files
}

// Write writes the SVG. The same drawing gives the same bytes.
func (f File) Write(to io.Writer) error {
	_, err := io.WriteString(to, page.Visible(string(render("file", f.Drawing.(standing).alone()))))
	return err
}

// Measures of a file, in pixels. Those of its areas are in their layouts, too.
const (
	sheetWidth = 720.0 // at least
	sheetEdge  = 12    // to each side, and between columns
	lineHeight = 17
	letterMean = 7.3 // width of a letter, rather too wide
	narrowest  = 240 // column of drawn figures
	axesHeight = 63  // of the texts over and under a plane
	headHeight = 20
	rowHeight  = 22
)

// textWidth estimates a text's width, in pixels.
func textWidth(t string) float64 { return letterMean * float64(text.StringWidth(t)) }

// A sheet is a drawing in its own file: its caption above its area above its legend.
type sheet struct {
	Caption            string
	Lines              []string // of the caption
	Width, Top, Height float64  // Top is that of the area
	Area               Block
	Legend             []sheetSign
}

type sheetSign struct {
	Sign
	X, Y float64
}

// sheetOf lays out a sheet around an area. The legend has as many signs in a line as fit.
func sheetOf(caption string, signs []Sign, width, height float64, area Block) *sheet {
	s := &sheet{Caption: caption, Width: width, Area: area}
	s.Lines = strings.Split(text.WrapSoft(caption, int((width-2*sheetEdge)/letterMean)), "\n")
	s.Top = 2*sheetEdge + lineHeight*float64(len(s.Lines))
	s.Height = s.Top + height
	const wide, gap = 22, 6
	x := width
	for _, sign := range signs {
		taken := wide + gap + textWidth(sign.Text)
		if x+taken > width-sheetEdge {
			x = sheetEdge
			s.Height += lineHeight
		}
		s.Legend = append(s.Legend, sheetSign{sign, x, s.Height + 3})
		x += taken + sheetEdge
	}
	s.Height += lineHeight + sheetEdge
	return s
}

var variable = regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]+);`)

// Style is the drawings' style sheet with its variables replaced: not every SVG viewer knows variables.
func (s *sheet) Style() template.CSS {
	light, _, _ := strings.Cut(style, "}")
	var values []string
	for _, v := range variable.FindAllStringSubmatch(light, -1) {
		values = append(values, "var(--"+v[1]+")", v[2])
	}
	return template.CSS(strings.NewReplacer(values...).Replace(drawn))
}
