package html

import (
	"cmp"
	"slices"

	"proctor/runner/mark/stats"
)

// A Scale is one figure with its interval on an axis, with what it is held against below.
type Scale struct {
	Caption  string
	Axis     Axis
	Value    stats.Number
	Interval stats.Interval
	Label    string
	Against  []Held
}

// Held is what a figure is held against.
type Held struct {
	Value stats.Number
	Label string
}

// The heights of a scale, in pixels.
const (
	scaleTop  = 50 // of the axis
	scaleStep = 22 // of what stands below it, each
)

// Block is the drawing.
func (s Scale) Block() Block {
	type label struct {
		place
		Y int
	}
	view := struct {
		Scale
		Ticks             []place
		Point, From, Wide string
		PointAnchor       string
		Labels            []label
		Top, Height       int
	}{Scale: s, Ticks: s.Axis.places(), Top: scaleTop}
	if x, known := s.Value.Get(); known {
		view.Point, view.PointAnchor = s.Axis.percent(x), anchor(0.5+2*(s.Axis.share(x)-0.5)) // it takes most of a narrow window's half
	}
	if !s.Interval.IsZero() {
		view.From = s.Axis.percent(s.Interval.Low)
		view.Wide = decimal(100*(s.Axis.share(s.Interval.High)-s.Axis.share(s.Interval.Low))) + "%"
	}
	y := scaleTop + 16
	held, side := s.beneath()
	for _, h := range held {
		y += scaleStep
		view.Labels = append(view.Labels, label{place{s.Axis.percent(h.Value.Or(0)), side, h.Label}, y})
	}
	view.Height = y + 8
	return render("scale", view)
}

// beneath is what the figure is held against in the order of the lines that lead down to their labels, and the side of these:
// no line goes through another one's label.
func (s Scale) beneath() (held []Held, anchor string) {
	most := 0.0
	for _, h := range s.Against {
		if x, known := h.Value.Get(); known {
			held, most = append(held, h), max(most, s.Axis.share(x))
		}
	}
	rightwards := most <= 0.5
	slices.SortStableFunc(held, func(a, b Held) int {
		if rightwards {
			a, b = b, a
		}
		return cmp.Compare(a.Value.Or(0), b.Value.Or(0))
	})
	if rightwards {
		return held, "start"
	}
	return held, "end"
}
