package html

import (
	"cmp"
	"math"
	"slices"
)

// A label is a mark's name and its place.
type label struct {
	text   string
	x      float64 // the mark's
	beside float64 // pixels to its right; to its left where that is below 0; over or under its middle where it is 0
	down   float64 // from the top, in pixels
	leads  bool    // a line leads to it, since it is not right beside its mark
}

// A levelLabel is a level with the side of its line that its label stands on.
type levelLabel struct {
	Held
	below bool
}

// levelLabels are the levels that have a value, from the top: the first one's label stands above its line, the others' below, where
// there is room.
func (s Scatter) levelLabels() []levelLabel {
	var all []levelLabel
	for _, l := range s.Levels {
		if l.Value.Defined() {
			all = append(all, levelLabel{Held: l})
		}
	}
	slices.SortStableFunc(all, func(a, b levelLabel) int { return cmp.Compare(b.Value.Or(0), a.Value.Or(0)) })
	for i := range all {
		all[i].below = i > 0 && s.down(all[i].Value.Or(0)) < scatterHeight-2*halfLabel
	}
	return all
}

// areaWidths are those of a scatter's area, in pixels, that labels are placed for: from a small telephone's to the widest page's.
var areaWidths = []float64{250, 318, 420, 560, 740, 932}

// What a label takes, in pixels, at most: half its height, and the width of a letter.
const (
	halfLabel   = 8.5
	letterWidth = 8.7
)

// What it costs a label to stand somewhere. Over a name or out of the area is worst, a line is better than far from the mark.
const (
	overName  = 10000
	overMark  = 2000
	overLine  = 30
	awayPixel = 0.5
	otherSide = 5
)

// A box is a rectangle of the area, in pixels.
type box struct{ left, top, right, bottom float64 }

func (b box) meets(other box) bool {
	return b.left < other.right && other.left < b.right && b.top < other.bottom && other.top < b.bottom
}

// An obstacle is something that a label should not cover, and what it costs to do so.
type obstacle struct {
	box
	cost float64
}

// labels are the names of the marks, in their order. Each stands beside its mark, or further up or down where something is in the
// way, so that no two of them meet at any width of the window, as far as there is room.
func (s Scatter) labels() []label {
	obstacles := make([][]obstacle, len(areaWidths))
	for i, width := range areaWidths {
		obstacles[i] = s.obstacles(width)
	}
	all, order := make([]label, len(s.Marks)), make([]int, len(s.Marks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Marks[b].Y, s.Marks[a].Y) })
	for _, i := range order {
		best, least := label{}, math.Inf(1)
		for _, candidate := range s.candidates(s.Marks[i]) {
			if cost := s.costOf(candidate, i, obstacles); cost < least {
				best, least = candidate, cost
			}
		}
		all[i] = best
		for k, width := range areaWidths {
			obstacles[k] = append(obstacles[k], obstacle{s.boxOf(best, width), overName})
		}
	}
	return all
}

// candidates are the places of a mark's label: to its right, to its left, over or under it, and further up or down, the nearest first.
func (s Scatter) candidates(m Mark) []label {
	const step = 4
	beside, at := m.radius()+6, s.down(m.Y)
	var all []label
	for away := 0.0; away < scatterHeight; away += step {
		for _, y := range []float64{at - away, at + away} {
			y = min(max(y, halfLabel), scatterHeight-halfLabel)
			l := label{text: ending(m.Name), x: m.X, beside: beside, down: y, leads: math.Abs(y-at) > m.radius()+halfLabel}
			left := l
			left.beside = -beside
			all = append(all, l, left)
			if middle := l; away >= m.radius()+halfLabel {
				middle.beside, middle.leads = 0, away > m.radius()+halfLabel+step
				all = append(all, middle)
			}
		}
	}
	return all
}

// costOf is what it costs the label of mark i to stand there, over all widths.
func (s Scatter) costOf(l label, i int, obstacles [][]obstacle) float64 {
	cost := awayPixel * math.Abs(l.down-s.down(s.Marks[i].Y)) * float64(len(areaWidths))
	if l.beside <= 0 {
		cost += otherSide
	}
	for k, width := range areaWidths {
		own := s.boxOf(l, width)
		if own.left < 0 || own.right > width {
			cost += overName
		}
		for _, o := range obstacles[k] {
			if own.meets(o.box) {
				cost += o.cost
			}
		}
	}
	return cost
}

// boxOf is what a label takes of an area of a width.
func (s Scatter) boxOf(l label, width float64) box {
	wide, y, from := letterWidth*float64(len([]rune(l.text))), l.down, s.X.share(l.x)*width+l.beside
	switch {
	case l.beside < 0:
		from -= wide
	case l.beside == 0:
		from -= wide / 2
	}
	return box{from, y - halfLabel, from + wide, y + halfLabel}
}

// obstacles are the marks, their intervals, the front and the labels of levels in an area of a width.
func (s Scatter) obstacles(width float64) []obstacle {
	var all []obstacle
	across := func(x float64) float64 { return s.X.share(x) * width }
	line := func(x1, y1, x2, y2 float64) {
		all = append(all, obstacle{box{min(x1, x2) - 1, min(y1, y2) - 1, max(x1, x2) + 1, max(y1, y2) + 1}, overLine})
	}
	for _, m := range s.Marks {
		x, y, r := across(m.X), s.down(m.Y), m.radius()
		all = append(all, obstacle{box{x - r, y - r, x + r, y + r}, overMark})
		if ci := m.YInterval; !ci.IsZero() {
			line(x, s.down(ci.High), x, s.down(ci.Low))
		}
		if ci := m.XInterval; !ci.IsZero() {
			line(across(ci.Low), y, across(ci.High), y)
		}
	}
	if s.Frontier {
		edge := s.edge().Points
		for i := 1; i < len(edge); i++ {
			x1, y1, x2, y2 := across(edge[i-1].X), s.down(edge[i-1].Y), across(edge[i].X), s.down(edge[i].Y)
			line(x1, y1, x2, y1)
			line(x2, y1, x2, y2)
		}
	}
	for _, l := range s.levelLabels() {
		y := s.down(l.Value.Or(0))
		line(0, y, width, y)
		wide := letterWidth * float64(len([]rune(l.Label)))
		b := box{width - 4 - wide, y - 2*halfLabel, width, y}
		if l.below {
			b.top, b.bottom = y, y+2*halfLabel
		}
		all = append(all, obstacle{b, overName})
	}
	return all
}

// down is where an upright value is, in pixels from the top.
func (s Scatter) down(y float64) float64 { return scatterHeight * (1 - s.Y.share(y)) }

// longestLabel is how many characters a label has at most: paths, which end in what tells them apart, can be long.
const longestLabel = 22

// ending is a name, or its end.
func ending(name string) string {
	letters := []rune(name)
	if len(letters) <= longestLabel {
		return name
	}
	return "…" + string(letters[len(letters)-longestLabel+1:])
}
