package html

import (
	"cmp"
	"math"
	"slices"
)

// A label is a mark's name and its place.
type label struct {
	text   string
	beside float64 // pixels to its mark's right; to its left where that is below 0
	down   float64 // from the top, in pixels
	leads  bool    // a line leads to it, since it is not right beside its mark
}

// A levelLabel is a level with the side of its line that its label stands on.
type levelLabel struct {
	Held
	below bool
}

// halfLabel is half of what a label takes upright, in pixels, at most.
const halfLabel = 8.5

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

// labels are the names of the marks, in their order. Each stands beside its mark, on the side where the area is wider, or as near to it
// upright as it comes without meeting another label, as far as there is room: so none meets another at any width of the window.
func (s Scatter) labels() []label {
	var taken []float64 // middles of labels
	for _, l := range s.levelLabels() {
		if middle := s.down(l.Value.Or(0)) - halfLabel; l.below {
			taken = append(taken, middle+2*halfLabel)
		} else {
			taken = append(taken, middle)
		}
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
		if !m.XInterval.IsZero() { // which would cross the name
			at -= halfLabel
		}
		down := free(at, taken)
		taken = append(taken, down)
		all[i] = label{ending(m.Name), beside, down, math.Abs(down-s.down(m.Y)) > m.radius()+halfLabel}
	}
	return all
}

// free is the height nearest to one at which a label meets none of those that are there; the height itself where there is no room.
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

// down is where an upright value is, in pixels from the top.
func (s Scatter) down(y float64) float64 { return scatterHeight * (1 - s.Y.share(y)) }

// longestLabel is how many characters a label has at most, which half of a telephone's width has room for: paths, which end in what tells
// them apart, can be long.
const longestLabel = 16

// ending is a name, or its end.
func ending(name string) string {
	letters := []rune(name)
	if len(letters) <= longestLabel {
		return name
	}
	return "…" + string(letters[len(letters)-longestLabel+1:])
}
