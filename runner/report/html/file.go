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

// A File holds one drawing of a document as SVG that needs nothing else: the page's styles, in its light colours, are in it.
type File struct {
	Name    string // accuracy.svg
	Drawing Drawing
}

// standing is a drawing that can have a file of its own.
type standing interface {
	shows() string // as [Strips] has it
	alone() *sheet
}

// Files are the drawings of a document's sections, named after what they show, or after their section where it has one drawing; a name
// that is taken gets a number.
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
			if !stands { // a table
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

// Measures of a file, in pixels.
const (
	sheetWidth = 720.0 // at least
	sheetEdge  = 12    // to each side, and between columns
	lineHeight = 17
	letterMean = 7.3 // width of a letter, rather too wide
	narrowest  = 240 // column of drawn figures
)

// textWidth is about how wide a text is, in pixels.
func textWidth(t string) float64 { return letterMean * float64(text.StringWidth(t)) }

// A sheet is a drawing in a file of its own, laid out from the top.
type sheet struct {
	Caption       string
	Width, Height float64
	Texts         []sheetText
	Legend        []sheetSign
	Area          Block
}

type sheetText struct {
	X, Y                float64
	Anchor, Class, Text string
}

type sheetSign struct {
	Sign
	X, Y float64
}

// sheetOf begins a sheet with its caption.
func sheetOf(caption string, width float64) *sheet {
	s := &sheet{Caption: caption, Width: width, Height: sheetEdge}
	for line := range strings.SplitSeq(text.WrapSoft(caption, int((width-2*sheetEdge)/letterMean)), "\n") {
		s.write(sheetEdge, "start", "", strings.TrimRight(line, " "))
		s.Height += lineHeight
	}
	s.Height += sheetEdge
	return s
}

// write puts a text into the line that begins at the sheet's height.
func (s *sheet) write(x float64, anchor, class, text string) {
	s.Texts = append(s.Texts, sheetText{x, s.Height + 12, anchor, class, text})
}

// plane adds two axes with what is drawn between them.
func (s *sheet) plane(f frame, xLabel, yLabel string, inner Block) {
	if yLabel != "" {
		s.write(sheetEdge, "start", "", "↑ "+yLabel)
		s.Height += lineHeight + sheetEdge
	}
	const left, right = sheetEdge, sheetEdge + 44
	s.Area = render("plane", struct {
		frame
		XLabel                         string
		Inner                          Block
		Left, Right, Top, Bottom, Wide float64
	}{f, xLabel, inner, left, right, s.Height, s.Height + f.Height, s.Width - right - 2*sheetEdge})
	s.Height += f.Height + 34
}

// legend adds signs with their texts, as many to a line as fit, and the sheet's lower edge.
func (s *sheet) legend(signs []Sign) {
	const wide, gap = 22, 6
	x := s.Width
	for _, sign := range signs {
		taken := wide + gap + textWidth(sign.Text)
		if x+taken > s.Width-sheetEdge {
			x = sheetEdge
			s.Height += lineHeight
		}
		s.Legend = append(s.Legend, sheetSign{sign, x, s.Height + 3})
		s.write(x+wide+gap, "start", "", sign.Text)
		x += taken + sheetEdge
	}
	s.Height += lineHeight + sheetEdge
}

var variable = regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]+);`)

// Style is that of drawings with the values of its variables, which not every viewer of SVG knows.
func (s *sheet) Style() template.CSS {
	light, _, _ := strings.Cut(style, "}")
	var values []string
	for _, v := range variable.FindAllStringSubmatch(light, -1) {
		values = append(values, "var(--"+v[1]+")", v[2])
	}
	return template.CSS(strings.NewReplacer(values...).Replace(drawn))
}
