package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Okabe and Ito 2008, "Color universal design": those that are used here.
var (
	blue    = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	skyBlue = color.NRGBA{0x56, 0xb4, 0xe9, 0xff}
	orange  = color.NRGBA{0xd5, 0x5e, 0x00, 0xff} // they call it vermillion
	black   = color.NRGBA{0x00, 0x00, 0x00, 0xff}
	grey    = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
	white   = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	pale    = color.NRGBA{0x56, 0xb4, 0xe9, 0x50} // the sky blue of what is shaded
)

var (
	grid     = draw.LineStyle{Color: grey, Width: vg.Points(0.5)}
	interval = draw.LineStyle{Color: skyBlue, Width: vg.Points(3)}
	whisker  = draw.LineStyle{Color: black, Width: vg.Points(1)}
	curve    = draw.LineStyle{Color: blue, Width: vg.Points(1.5)}
	frontier = draw.LineStyle{Color: blue, Width: vg.Points(1), Dashes: []vg.Length{vg.Points(5), vg.Points(2.5)}}
	against  = draw.LineStyle{Color: orange, Width: vg.Points(1.2), Dashes: []vg.Length{vg.Points(2.5), vg.Points(1.5)}}
	leader   = draw.LineStyle{Color: grey, Width: vg.Points(0.75)}
	outline  = draw.LineStyle{Color: blue, Width: vg.Points(1.5)}
)

// The sizes of letters.
const (
	titleSize = 9
	labelSize = 9
	tickSize  = 8
)

// sans is the font of everything.
func sans(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

// full and hollow draw a circle.
func full(c *draw.Canvas, at vg.Point, radius vg.Length) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: blue, Radius: radius, Shape: draw.CircleGlyph{}}, at)
}

func hollow(c *draw.Canvas, at vg.Point, radius vg.Length) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: white, Radius: radius, Shape: draw.CircleGlyph{}}, at)
	c.SetLineStyle(outline)
	c.Stroke(circle(at, radius))
}

// diamond draws the figure of everything among those of parts.
func diamond(c *draw.Canvas, at vg.Point, half vg.Length) {
	c.FillPolygon(blue, []vg.Point{{X: at.X - half, Y: at.Y}, {X: at.X, Y: at.Y + half}, {X: at.X + half, Y: at.Y},
		{X: at.X, Y: at.Y - half}})
}

func circle(at vg.Point, radius vg.Length) vg.Path {
	var p vg.Path
	p.Move(vg.Point{X: at.X + radius, Y: at.Y})
	p.Arc(at, radius, 0, 2*math.Pi)
	p.Close()
	return p
}

// box fills a rectangle.
func box(c *draw.Canvas, fill color.Color, x0, y0, x1, y1 vg.Length) {
	c.FillPolygon(fill, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}
