package plots

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// A Figure is a drawing with the name of its files, without their endings.
type Figure struct {
	Name    string
	Drawing html.Drawing
}

// Of are the figures of a document's sections, named after what they show, or after their section where it has one drawing; a name
// that is taken gets a number.
func Of(sections []page.Section) []Figure {
	var figures []Figure
	taken := map[string]int{}
	for _, section := range sections {
		var all []html.Drawing
		for _, d := range section.Drawings {
			if several, beside := d.(html.Beside); beside {
				all = append(all, several...)
			} else {
				all = append(all, d)
			}
		}
		for _, d := range all {
			if _, err := sheetOf(d); err != nil { // a table
				continue
			}
			name := cmp.Or(html.Slug(shows(d)), html.Place(section))
			if taken[name]++; taken[name] > 1 {
				name += "-" + strconv.Itoa(taken[name])
			}
			figures = append(figures, Figure{name, d})
		}
	}
	return figures
}

// shows is what a drawing of several says that it shows.
func shows(d html.Drawing) string {
	switch d := d.(type) {
	case html.Strips:
		return d.Shows
	case html.Plot:
		return d.Shows
	}
	return ""
}

// A File is a figure in one format.
type File struct {
	Name  string // with its ending
	Write func(io.Writer) error
}

// Files are the figures in both formats.
func Files(figures []Figure) []File {
	var files []File
	for _, f := range figures {
		files = append(files, File{f.Name + ".svg", f.SVG}, File{f.Name + ".png", f.PNG})
	}
	return files
}

// width is that of every figure: two columns of a paper, or one page's text.
const width = 16 * vg.Centimeter

// resolution of PNG, in dots an inch.
const resolution = 200

// SVG writes the figure as SVG, whose texts are texts, in Liberation Sans or what stands for it.
func (f Figure) SVG(w io.Writer) error {
	return f.write(w, func(width, height vg.Length) vg.CanvasWriterTo { return vgsvg.New(width, height) })
}

// PNG writes the figure as PNG, 200 dots an inch.
func (f Figure) PNG(w io.Writer) error {
	return f.write(w, func(width, height vg.Length) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(resolution))}
	})
}

func (f Figure) write(w io.Writer, canvas func(width, height vg.Length) vg.CanvasWriterTo) error {
	s, err := sheetOf(f.Drawing)
	if err != nil {
		return err
	}
	c := canvas(width, s.height())
	s.draw(draw.New(c))
	_, err = c.WriteTo(w)
	return err
}

// A sheet is a plot with what stands above and below it.
type sheet struct {
	*plot.Plot
	area   vg.Length // the plot's height with its axes
	title  []string  // lines
	legend [][]html.Sign
}

// sheetOf lays a drawing out.
func sheetOf(d html.Drawing) (*sheet, error) {
	switch d := d.(type) {
	case html.Scatter:
		return scatter(d), nil
	case html.Strips:
		return strips(d), nil
	case html.Plot:
		return curves(d), nil
	}
	return nil, fmt.Errorf("no plot of a %T", d)
}

// sheetFor begins a sheet with a grid and labelled axes.
func sheetFor(caption string, x, y html.Axis, xLabel, yLabel string, signs []html.Sign) *sheet {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = page.Visible(xLabel), page.Visible(yLabel)
	for _, axis := range []struct {
		to   *plot.Axis
		from html.Axis
	}{{&p.X, x}, {&p.Y, y}} {
		a := axis.to
		a.Min, a.Max = axis.from.Low, axis.from.High
		a.Padding = 0
		a.Label.TextStyle.Font, a.Tick.Label.Font = sans(labelSize), sans(tickSize)
		var ticks plot.ConstantTicks
		for _, t := range axis.from.Ticks {
			ticks = append(ticks, plot.Tick{Value: t.At, Label: page.Visible(t.Label)})
		}
		a.Tick.Marker = ticks
	}
	p.Add(plotter(func(c draw.Canvas, p *plot.Plot) {
		for _, t := range x.Ticks {
			c.StrokeLine2(grid, c.X(p.X.Norm(t.At)), c.Min.Y, c.X(p.X.Norm(t.At)), c.Max.Y)
		}
		for _, t := range y.Ticks {
			c.StrokeLine2(grid, c.Min.X, c.Y(p.Y.Norm(t.At)), c.Max.X, c.Y(p.Y.Norm(t.At)))
		}
	}))
	s := &sheet{Plot: p, area: 8 * vg.Centimeter, title: wrapped(page.Visible(caption), titleSize)}
	s.legend = rows(signs)
	return s
}

// A plotter draws into a plot's area.
type plotter func(c draw.Canvas, p *plot.Plot)

// Plot is gonum's.
func (f plotter) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }

// Distances, in points.
const (
	margin     = 6
	lineHeight = 12
)

func (s *sheet) height() vg.Length {
	lines := len(s.title) + len(s.legend)
	return s.area + vg.Points(float64(lines*lineHeight+4*margin))
}

func (s *sheet) draw(c draw.Canvas) {
	box(&c, white, c.Min.X, c.Min.Y, c.Max.X, c.Max.Y)
	y := c.Max.Y - vg.Points(margin)
	style := styled(titleSize)
	style.YAlign = draw.YTop
	for _, line := range s.title {
		c.FillText(style, vg.Point{X: c.Min.X + vg.Points(margin), Y: y}, line)
		y -= vg.Points(lineHeight)
	}
	y -= vg.Points(margin)
	bottom := vg.Points(float64(len(s.legend)*lineHeight + margin))
	s.Plot.BackgroundColor = nil
	s.Plot.Draw(draw.Crop(c, vg.Points(margin), -vg.Points(2*margin), bottom, y-c.Max.Y))
	for i, row := range s.legend {
		at := vg.Point{X: c.Min.X + vg.Points(margin), Y: c.Min.Y + vg.Points(float64((len(s.legend)-i)*lineHeight-lineHeight/2))}
		drawRow(&c, at, row)
	}
}

// styled is how texts of a size are written.
func styled(size float64) draw.TextStyle {
	return draw.TextStyle{Color: black, Font: sans(size), Handler: text.Plain{Fonts: font.DefaultCache}}
}

// wrapped are the lines of a text that fit the width.
func wrapped(words string, size float64) []string {
	style, most := styled(size), width-vg.Points(2*margin)
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(words) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && style.Width(longer) > most {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return append(lines, line)
}
