package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"proctor/runner/report/html"
)

// curves draws curves, with their intervals as a band, and bars.
func curves(d html.Plot) *sheet {
	s := sheetFor(d.Caption, d.X, d.Y, d.XLabel, d.YLabel, d.Signs())
	s.area = 6.5 * vg.Centimeter
	s.Add(plotter(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		for _, b := range d.Bars {
			box(&c, skyBlue, x(b.From)+vg.Points(0.4), y(d.Y.Low), x(b.To)-vg.Points(0.4), y(b.Height))
		}
		for _, one := range d.Curves {
			band(&c, one, x, y)
		}
		for i, one := range d.Curves {
			style := dashed(d.Dashes(i))
			if one.Dashed {
				style = against
			}
			c.StrokeLines(style, along(one, x, y))
			for _, at := range one.Points {
				if !one.Steps && !one.Dashed {
					full(&c, vg.Point{X: x(at.X), Y: y(at.Y)}, vg.Points(3))
				}
			}
		}
	}))
	return s
}

// dashed is the style of a curve with a pattern, whose lengths are in pixels; none is a curve drawn through.
func dashed(pattern []float64) draw.LineStyle {
	style := curve
	for _, d := range pattern {
		style.Dashes = append(style.Dashes, vg.Points(0.75*d))
	}
	return style
}

// along is the line through a curve's points; of one with steps, across and then up or down.
func along(one html.Curve, x, y func(float64) vg.Length) (line []vg.Point) {
	for i, at := range one.Points {
		if one.Steps && i > 0 {
			line = append(line, vg.Point{X: x(at.X), Y: line[len(line)-1].Y})
		}
		line = append(line, vg.Point{X: x(at.X), Y: y(at.Y)})
	}
	return line
}

// band fills between the points' intervals; nothing where one has none.
func band(c *draw.Canvas, one html.Curve, x, y func(float64) vg.Length) {
	var upper, lower []vg.Point
	for _, at := range one.Points {
		if at.Interval.IsZero() {
			return
		}
		upper = append(upper, vg.Point{X: x(at.X), Y: y(at.Interval.High)})
		lower = append([]vg.Point{{X: x(at.X), Y: y(at.Interval.Low)}}, lower...)
	}
	c.FillPolygon(pale, append(upper, lower...))
}
