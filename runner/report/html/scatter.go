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
	Levels         []Level // upright values with a line, to compare marks with
	Marks          []Mark
	Frontier       bool // a line joins the full marks: no other mark is both higher and further right
	Legend         []Sign
}

// A Level is a value that marks are compared with.
type Level struct {
	Value stats.Number
	Label string
}

// A Mark is a point of a scatter.
type Mark struct {
	Name      string
	X, Y      float64
	XInterval stats.Interval
	YInterval stats.Interval
	Size      float64 // its area, as a share of the largest mark's; 0 for the default size
	Full      bool    // filled, not hollow
	Shaded    bool
	Says      string // description, for people who point at the mark or can't see it
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
	Low, High, From, To      string // of the intervals; empty if there is none
	ShadeFrom, ShadeHigh     string
	LabelX, LabelY, Anchored string
	Label                    string
	LeadX, LeadY             string // end of the line from the mark to its label; empty if the label is right beside it
}

// Block is the drawing.
func (s Scatter) Block() Block { return render("scatter", s.view()) }

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
		at := s.down(l.Value.Or(0))
		view.Lines = append(view.Lines, place{decimal(at), decimal(l.middle + 4.5 - at), l.Label})
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

// edge is the frontier: the steps along the full marks.
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

// radius is a mark's radius, in pixels.
func (m Mark) radius() float64 {
	if m.Size <= 0 {
		return plainRadius
	}
	return max(4, largestRadius*math.Sqrt(m.Size))
}

// Aria describes all marks, for people who can't see them.
func (s Scatter) Aria() string {
	parts := []string{s.Caption}
	for _, m := range s.Marks {
		parts = append(parts, cmp.Or(m.Says, m.Name))
	}
	return strings.Join(parts, "; ")
}

// A label is a mark's name and its place.
type label struct {
	text   string
	beside float64 // pixels to its mark's right, below 0 to its left
	down   float64 // from the top, in pixels
	leads  bool    // a line joins it to its mark, since it is not right beside it
}

// A levelLabel is a level with the middle of its label, in pixels from the top.
type levelLabel struct {
	Level
	middle float64
}

// halfLabel is half the height of a label, in pixels, at most.
const halfLabel = 8.5

// levelLabels are the levels that have a value, from the top. The first label is above its line, the others below theirs, if there is room.
func (s Scatter) levelLabels() []levelLabel {
	var all []levelLabel
	for _, l := range s.Levels {
		if l.Value.Defined() {
			all = append(all, levelLabel{Level: l})
		}
	}
	slices.SortStableFunc(all, func(a, b levelLabel) int { return cmp.Compare(b.Value.Or(0), a.Value.Or(0)) })
	for i := range all {
		line := s.down(all[i].Value.Or(0))
		if all[i].middle = line - halfLabel; i > 0 && line < scatterHeight-2*halfLabel {
			all[i].middle = line + halfLabel
		}
	}
	return all
}

// labels places the names of the marks, in their order. Each is beside its mark, on the wider side of the area, and as near to its mark's
// height as it can be without meeting another label at any width of the window, if there is room.
func (s Scatter) labels() []label {
	var taken []float64 // middles of labels
	for _, l := range s.levelLabels() {
		taken = append(taken, l.middle)
	}
	all, order := make([]label, len(s.Marks)), make([]int, len(s.Marks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Marks[b].Y, s.Marks[a].Y) })
	for _, i := range order {
		m := s.Marks[i]
		at, beside := s.down(m.Y), m.radius()+6
		if s.X.share(m.X) > 0.5 {
			beside = -beside
		}
		if !m.XInterval.IsZero() { // whose bar would cross the name
			at -= halfLabel
		}
		down := free(at, taken)
		taken = append(taken, down)
		all[i] = label{ending(m.Name), beside, down, math.Abs(down-s.down(m.Y)) > m.radius()+halfLabel}
	}
	return all
}

// free is the nearest height at which a label meets no other one; the wanted height if there is no room.
func free(at float64, taken []float64) float64 {
	meets := func(y float64) bool {
		return slices.ContainsFunc(taken, func(other float64) bool { return math.Abs(y-other) < 2*halfLabel })
	}
	for away := 0.0; away < scatterHeight; away++ {
		for _, y := range []float64{at - away, at + away} {
			if y >= halfLabel && y <= scatterHeight-halfLabel && !meets(y) {
				return y
			}
		}
	}
	return at
}

// down is an upright value's place, in pixels from the top.
func (s Scatter) down(y float64) float64 { return scatterHeight * (1 - s.Y.share(y)) }

// longestLabel is the number of characters that fit half of a phone's width. Longer names, such as paths, are cut at the front, since paths
// differ at the end.
const longestLabel = 16

// ending shortens a name to its end.
func ending(name string) string {
	letters := []rune(name)
	if len(letters) <= longestLabel {
		return name
	}
	return "…" + string(letters[len(letters)-longestLabel+1:])
}
