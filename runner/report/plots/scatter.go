package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// shadeWidth is half the width of what is shaded behind a mark, in points.
const shadeWidth = 14

func scatter(d html.Scatter) *sheet {
	s := sheetFor(d.Caption, d.X, d.Y, d.XLabel, d.YLabel, d.Legend)
	s.Add(plotter(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		for _, m := range d.Marks {
			if m.Shaded {
				low, high := m.Y, m.Y
				if !m.YInterval.IsZero() {
					low, high = m.YInterval.Low, m.YInterval.High
				}
				box(&c, pale, x(m.X)-vg.Points(shadeWidth), y(low), x(m.X)+vg.Points(shadeWidth), y(high))
			}
		}
		levels(&c, d.LevelLabels(), y)
		if d.Frontier {
			c.StrokeLines(frontier, along(d.Edge(), x, y))
		}
		names := styled(labelSize)
		names.YAlign = draw.YCenter
		for _, m := range d.Marks {
			at, radius := vg.Point{X: x(m.X), Y: y(m.Y)}, vg.Points(0.6*m.Radius())
			mark := hollow
			if m.Full {
				mark = full
			}
			mark(&c, at, radius)
			bars(&c, m, at, x, y)
		}
		for i, l := range d.Labels() {
			names.XAlign = draw.XLeft
			switch {
			case l.Beside < 0:
				names.XAlign = draw.XRight
			case l.Beside == 0:
				names.XAlign = draw.XCenter
			}
			to := vg.Point{X: x(l.X) + vg.Points(0.6*l.Beside), Y: c.Max.Y - vg.Length(l.Down)*(c.Max.Y-c.Min.Y)}
			if l.Leads {
				c.StrokeLine2(leader, x(l.X), y(d.Marks[i].Y), to.X, to.Y)
			}
			c.FillText(names, to, page.Visible(l.Text))
		}
	}))
	return s
}

// bars draw a mark's intervals.
func bars(c *draw.Canvas, m html.Mark, at vg.Point, x, y func(float64) vg.Length) {
	half := vg.Points(2.5)
	if i := m.YInterval; !i.IsZero() {
		c.StrokeLine2(whisker, at.X, y(i.Low), at.X, y(i.High))
		for _, end := range []vg.Length{y(i.Low), y(i.High)} {
			c.StrokeLine2(whisker, at.X-half, end, at.X+half, end)
		}
	}
	if i := m.XInterval; !i.IsZero() {
		c.StrokeLine2(whisker, x(i.Low), at.Y, x(i.High), at.Y)
		for _, end := range []vg.Length{x(i.Low), x(i.High)} {
			c.StrokeLine2(whisker, end, at.Y-half, end, at.Y+half)
		}
	}
}

// levels draw what marks are held against.
func levels(c *draw.Canvas, all []html.LevelLabel, y func(float64) vg.Length) {
	style := styled(tickSize)
	style.XAlign = draw.XRight
	for _, l := range all {
		at, above := y(l.Value.Or(0)), vg.Points(2.5)
		style.YAlign = draw.YBottom
		if l.Below {
			style.YAlign, above = draw.YTop, -above
		}
		c.StrokeLine2(against, c.Min.X, at, c.Max.X, at)
		c.FillText(style, vg.Point{X: c.Max.X - vg.Points(3), Y: at + above}, page.Visible(l.Label))
	}
}
