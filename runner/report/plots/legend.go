package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// The width of a sign, and of what is between it and others, in points.
const (
	signWidth = 20
	signGap   = 5
	rowGap    = 14
)

// rows are the signs that stand beside each other.
func rows(signs []html.Sign) [][]html.Sign {
	var all [][]html.Sign
	taken := vg.Length(0)
	for _, s := range signs {
		wide := signSpace(s)
		if len(all) == 0 || taken+wide > width-vg.Points(2*margin) {
			all, taken = append(all, nil), 0
		}
		all[len(all)-1] = append(all[len(all)-1], s)
		taken += wide
	}
	return all
}

func signSpace(s html.Sign) vg.Length {
	return vg.Points(signWidth+signGap+rowGap) + styled(tickSize).Width(page.Visible(s.Text))
}

func drawRow(c *draw.Canvas, at vg.Point, row []html.Sign) {
	style := styled(tickSize)
	style.YAlign = draw.YCenter
	for _, s := range row {
		drawSign(c, at, s)
		c.FillText(style, vg.Point{X: at.X + vg.Points(signWidth+signGap), Y: at.Y}, page.Visible(s.Text))
		at.X += signSpace(s)
	}
}

// drawSign draws a mark of a kind, from a place on to the right.
func drawSign(c *draw.Canvas, at vg.Point, s html.Sign) {
	middle, end, half := vg.Point{X: at.X + vg.Points(signWidth/2), Y: at.Y}, at.X+vg.Points(signWidth), vg.Points(4)
	switch s.Kind {
	case html.Estimate, html.OnFront:
		full(c, middle, vg.Points(3.5))
	case html.Beaten:
		hollow(c, middle, vg.Points(3.5))
	case html.Interval:
		c.StrokeLine2(interval, at.X, at.Y, end, at.Y)
	case html.Against:
		c.StrokeLine2(against, middle.X, at.Y-half, middle.X, at.Y+half)
	case html.Guessing:
		c.StrokeLine2(against, at.X, at.Y, end, at.Y)
	case html.Drawn:
		c.StrokeLine2(dashed(s.Dashes), at.X, at.Y, end, at.Y)
	case html.Bar:
		box(c, skyBlue, at.X, at.Y-half, end, at.Y+half)
	case html.Shaded:
		box(c, pale, at.X, at.Y-half, end, at.Y+half)
	}
}
