package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"proctor/runner/report/html"
)

// rowHeight is that of a strip, in points.
const rowHeight = 15

// strips draws a forest: a line a row, the first one on top, named beside the upright axis.
func strips(d html.Strips) *sheet {
	rows := html.Axis{Low: -0.5, High: float64(len(d.Rows)) - 0.5}
	place := func(i int) float64 { return float64(len(d.Rows) - 1 - i) }
	for i, row := range d.Rows {
		rows.Ticks = append(rows.Ticks, html.Tick{At: place(i), Label: row.Name})
	}
	label := ""
	if len(d.Head) > 1 {
		label = d.Head[1]
	}
	s := sheetFor(d.Caption, d.Axis, rows, label, "", d.Signs())
	s.area = vg.Points(float64(rowHeight*len(d.Rows) + 36))
	s.Y.Tick.Length = 0
	s.Add(plotter(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		for i, row := range d.Rows {
			at, half := y(place(i)), vg.Points(5)
			value, known := row.Value.Get()
			if d.Bars && known {
				box(&c, skyBlue, x(d.Axis.Low), at-half, x(value), at+half)
			}
			if ci := row.Interval; !ci.IsZero() && !d.Bars {
				c.StrokeLine2(interval, x(ci.Low), at, x(ci.High), at)
			}
			if base, known := row.Baseline.Get(); known {
				c.StrokeLine2(against, x(base), at-half-2, x(base), at+half+2)
			}
			switch {
			case !known || d.Bars:
			case row.Strong:
				diamond(&c, vg.Point{X: x(value), Y: at}, vg.Points(5))
			default:
				full(&c, vg.Point{X: x(value), Y: at}, vg.Points(3))
			}
		}
	}))
	return s
}
