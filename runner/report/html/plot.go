package html

import (
	"slices"
	"strings"

	"proctor/runner/mark/stats"
)

// A Plot draws curves over an axis.
type Plot struct {
	Caption string
	X, Y    Axis
	XLabel  string
	YLabel  string // of [ByLength], whose curve has this name
	Curves  []Curve
}

// A Curve connects points; with Steps each value holds until the next point.
type Curve struct {
	Name   string
	Points []Point
	Steps  bool
	Dashed bool // the guessing baseline
}

// A Point belongs to a curve, and may have an interval.
type Point struct {
	X, Y     float64
	Interval stats.Interval
}

// Add appends a point to the curve, if y is defined.
func (c *Curve) Add(x float64, y stats.Number, i stats.Interval) {
	if height, known := y.Get(); known {
		c.Points = append(c.Points, Point{x, height, i})
	}
}

// plotHeight is the height of a plot's area, in pixels.
const plotHeight = 150

// Block is the drawing.
func (p Plot) Block() Block { return render("plot", p.view()) }

// plotView is a Plot with its places.
type plotView struct {
	Plot
	frame
	Lines []plotLine
}

type plotLine struct {
	Path, Band string
	Dashed     bool
	Pattern    string
	Dots       []place
}

func (p Plot) view() plotView {
	view := plotView{Plot: p, frame: frameOf(p.X, p.Y, plotHeight)}
	for i, c := range p.Curves {
		one := plotLine{Path: view.path(c), Dashed: c.Dashed, Pattern: pattern(p.dashes(i)), Band: view.band(c)}
		if !c.Dashed {
			for _, point := range c.Points {
				one.Dots = append(one.Dots, place{At: p.X.percent(point.X), Anchor: view.down(point.Y)})
			}
		}
		view.Lines = append(view.Lines, one)
	}
	return view
}

// Signs are the legend; empty for a single curve, which the caption names.
func (p Plot) Signs() []Sign {
	if len(p.Curves) < 2 {
		return nil
	}
	var signs []Sign
	for i, c := range p.Curves {
		kind := Drawn
		if c.Dashed {
			kind = Guessing
		}
		signs = append(signs, Sign{kind, c.Name, p.dashes(i)})
	}
	return signs
}

// patterns tell the curves of a plot apart: lengths of dashes and gaps, in pixels. The first curve is solid.
var patterns = [][]float64{nil, {9, 4}, {2, 3}, {10, 3, 2, 3}, {5, 2}, {12, 3, 2, 3, 2, 3}}

// mostCurves is how many curves a plot can tell apart, besides the guessing baseline.
const mostCurves = 6

// dashes is the pattern of a plot's curve; none for a solid curve or the guessing baseline.
func (p Plot) dashes(curve int) []float64 {
	before := 0
	for _, c := range p.Curves[:curve] {
		if !c.Dashed {
			before++
		}
	}
	if p.Curves[curve].Dashed {
		return nil
	}
	return patterns[before%mostCurves]
}

// pattern formats dashes as an attribute.
func pattern(dashes []float64) string {
	var all []string
	for _, d := range dashes {
		all = append(all, decimal(d))
	}
	return strings.Join(all, " ")
}

// A frame is a plane with its axes.
type frame struct {
	x, y           Axis
	Height         float64 // of the area, in pixels
	XTicks, YTicks []place
}

func frameOf(x, y Axis, height float64) frame {
	f := frame{x: x, y: y, Height: height, XTicks: x.places()}
	for _, t := range y.Ticks {
		f.YTicks = append(f.YTicks, place{f.down(t.At), "end", t.Label})
	}
	return f
}

// down is a value's place on the upright axis, in pixels from the top.
func (f frame) down(y float64) string { return decimal(f.Height * (1 - f.y.share(y))) }

// across is a value's place in the area's own units, which are stretched to the window's width.
func (f frame) across(x float64) string { return decimal(1000 * f.x.share(x)) }

func (f frame) path(c Curve) string {
	var b strings.Builder
	for i, point := range c.Points {
		switch {
		case i == 0:
			b.WriteString("M" + f.across(point.X) + " " + f.down(point.Y))
		case c.Steps:
			b.WriteString("H" + f.across(point.X) + "V" + f.down(point.Y))
		default:
			b.WriteString("L" + f.across(point.X) + " " + f.down(point.Y))
		}
	}
	return b.String()
}

// band is the outline of the points' intervals; empty if a point has none.
func (f frame) band(c Curve) string {
	upper, lower := Curve{}, []Point(nil)
	for _, point := range c.Points {
		if point.Interval.IsZero() {
			return ""
		}
		upper.Points = append(upper.Points, Point{X: point.X, Y: point.Interval.High})
		lower = append(lower, Point{X: point.X, Y: point.Interval.Low})
	}
	if len(lower) == 0 {
		return ""
	}
	slices.Reverse(lower)
	upper.Points = append(upper.Points, lower...)
	return f.path(upper) + "Z"
}
