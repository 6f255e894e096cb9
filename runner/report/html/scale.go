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
		Y    int
		From string // where it begins, or ends
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
		view.From, view.Wide = s.Axis.span(s.Interval)
	}
	y := scaleTop + 16
	held, side := s.beneath()
	for _, h := range held {
		y += scaleStep
		at := s.Axis.percent(h.Value.Or(0))
		one := label{place{at, side, h.Label}, y, at}
		if side == "" { // none has room for all labels
			one.Anchor, one.From = "start", "0%"
		}
		view.Labels = append(view.Labels, one)
	}
	view.Height = y + 8
	return render("scale", view)
}

// What a scale's labels are placed for, in pixels: the narrowest window's width, and the width of a letter.
const (
	narrowScale = 330
	heldLetter  = 7
)

// beneath is what the figure is held against in the order of the lines that lead down to their labels, and the side of these, on which
// there is room for each: no line goes through another one's label. The side is empty where neither has room.
func (s Scale) beneath() (held []Held, anchor string) {
	fits := map[string]bool{"start": true, "end": true}
	most := 0.0
	for _, h := range s.Against {
		x, known := h.Value.Get()
		if !known {
			continue
		}
		held = append(held, h)
		at, wide := narrowScale*s.Axis.share(x), 6+heldLetter*float64(len([]rune(h.Label)))
		fits["start"] = fits["start"] && at+wide <= narrowScale
		fits["end"] = fits["end"] && at >= wide
		most = max(most, s.Axis.share(x))
	}
	rightwards := fits["start"] && (most <= 0.5 || !fits["end"])
	slices.SortStableFunc(held, func(a, b Held) int {
		if rightwards {
			a, b = b, a
		}
		return cmp.Compare(a.Value.Or(0), b.Value.Or(0))
	})
	switch {
	case rightwards:
		return held, "start"
	case fits["end"]:
		return held, "end"
	}
	return held, ""
}
