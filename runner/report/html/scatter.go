package html

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"proctor/runner/mark/stats"
)

// A Scatter draws marks in a plane, each with its intervals.
type Scatter struct {
	Caption        string
	X, Y           Axis
	XLabel, YLabel string
	Levels         []Held // upright values that marks are held against
	Marks          []Mark
	Frontier       bool // a line leads along the full marks: none of the others lies above it or to the right of it
	Legend         []Sign
}

// Held is what a figure is held against.
type Held struct {
	Value stats.Number
	Label string
}

// A Mark is a point of a scatter.
type Mark struct {
	Name      string
	X, Y      float64
	XInterval stats.Interval
	YInterval stats.Interval
	Size      float64 // its area, as a share of the largest mark's; 0 for a size of its own
	Full      bool    // else it is hollow
	Shaded    bool
	Says      string // what it is, for people who point at it or do not see it
}

// The measures of a scatter, in pixels.
const (
	scatterHeight = 280
	largestRadius = 15
	plainRadius   = 5.5
)

// markView is a Mark with its places.
type markView struct {
	Mark
	At, Radius, YAt          string
	Low, High, From, To      string // of the intervals; empty for none
	ShadeFrom, ShadeHigh     string
	LabelX, LabelY, Anchored string
	Label                    string
	LeadX, LeadY             string // where a line from the mark to its label ends; empty where that is beside it
}

// Block is the drawing.
func (s Scatter) Block() Block { return render("scatter", s.view()) }

func (s Scatter) shows() string { return "" }

func (s Scatter) alone() *sheet {
	sheet, view := sheetOf(s.Caption, sheetWidth), s.view()
	sheet.plane(view.frame, s.XLabel, s.YLabel, render("scatter area", view))
	sheet.legend(s.Legend)
	return sheet
}

// scatterView is a Scatter with its places.
type scatterView struct {
	Scatter
	frame
	Lines  []place
	Points []markView
	Path   string
}

func (s Scatter) view() scatterView {
	view := scatterView{Scatter: s, frame: frameOf(s.X, s.Y, scatterHeight)}
	if s.Frontier {
		view.Path = view.path(s.edge())
	}
	for _, l := range s.levelLabels() {
		shift := "-4"
		if l.below {
			shift = "13"
		}
		view.Lines = append(view.Lines, place{view.frame.down(l.Value.Or(0)), shift, l.Label})
	}
	for _, m := range s.Marks {
		view.Points = append(view.Points, s.viewOf(m, view.frame))
	}
	for i, l := range s.labels() {
		p := &view.Points[i]
		p.Label, p.LabelX, p.LabelY, p.Anchored = l.text, decimal(l.beside), decimal(l.down+4), "start"
		if l.beside < 0 {
			p.Anchored = "end"
		}
		if l.leads {
			p.LeadX, p.LeadY = decimal(l.beside*0.8), decimal(l.down)
		}
	}
	return view
}

// edge is that of what the full marks leave behind.
func (s Scatter) edge() Curve {
	c := Curve{Steps: true}
	marks := slices.Clone(s.Marks)
	slices.SortStableFunc(marks, func(a, b Mark) int { return cmp.Or(cmp.Compare(b.X, a.X), cmp.Compare(a.Y, b.Y)) })
	for _, m := range marks {
		if !m.Full {
			continue
		}
		if len(c.Points) == 0 {
			c.Points = append(c.Points, Point{X: m.X, Y: s.Y.Low})
		}
		c.Points = append(c.Points, Point{X: m.X, Y: m.Y})
	}
	if len(c.Points) > 0 {
		c.Points = append(c.Points, Point{X: s.X.Low, Y: c.Points[len(c.Points)-1].Y})
	}
	return c
}

func (s Scatter) viewOf(m Mark, f frame) markView {
	v := markView{Mark: m, At: s.X.percent(m.X), YAt: f.down(m.Y), Radius: decimal(m.radius())}
	top, bottom := m.Y, m.Y
	if i := m.YInterval; !i.IsZero() {
		v.Low, v.High = f.down(i.Low), f.down(i.High)
		top, bottom = i.High, i.Low
	}
	if i := m.XInterval; !i.IsZero() {
		v.From, v.To = s.X.percent(i.Low), s.X.percent(i.High)
	}
	if m.Shaded {
		from := scatterHeight*(1-s.Y.share(top)) - largestRadius
		v.ShadeFrom = decimal(from)
		v.ShadeHigh = decimal(scatterHeight*(1-s.Y.share(bottom)) + largestRadius - from)
	}
	return v
}

// radius is a mark's, in pixels.
func (m Mark) radius() float64 {
	if m.Size <= 0 {
		return plainRadius
	}
	return max(4, largestRadius*math.Sqrt(m.Size))
}

// Aria is what all marks say, for people who do not see them.
func (s Scatter) Aria() string {
	parts := []string{s.Caption}
	for _, m := range s.Marks {
		parts = append(parts, cmp.Or(m.Says, m.Name))
	}
	return strings.Join(parts, "; ")
}
