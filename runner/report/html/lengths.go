package html

import (
	"math"
	"slices"

	"github.com/dustin/go-humanize"

	"proctor/runner/mark/stats"
)

// A LengthCurve is figures by lengths in tokens.
type LengthCurve struct {
	Name   string
	Points []LengthPoint
}

// A LengthPoint is the figure at one length.
type LengthPoint struct {
	Length   int
	Value    stats.Number
	Interval stats.Interval
}

// ByLength draws curves over an axis of lengths, in as many plots as it takes to tell them apart, each with what guessing scores, where
// that is defined; y makes the upright axis of all values. There is no plot where there is no point.
func ByLength(plot Plot, y func(values ...float64) Axis, guessing stats.Number, curves ...LengthCurve) []Drawing {
	var lengths []int
	values := []float64{guessing.Or(0)}
	for _, c := range curves {
		for _, p := range c.Points {
			lengths, values = append(lengths, p.Length), append(values, p.Value.Or(0), p.Interval.High)
		}
	}
	if len(lengths) == 0 {
		return nil
	}
	x := newLengthAxis(lengths)
	plot.X, plot.Y = x.Axis, y(values...)
	var all []Drawing
	for some := range slices.Chunk(curves, MostCurves) {
		one := plot
		for _, c := range some {
			curve := Curve{Name: c.Name}
			for _, p := range c.Points {
				curve.Add(x.place(p.Length), p.Value, p.Interval)
			}
			one.Curves = append(one.Curves, curve)
		}
		if at, known := guessing.Get(); known {
			one.Curves = append(one.Curves, Curve{Name: "guessing", Dashed: true, Points: []Point{{X: x.Low, Y: at}, {X: x.High, Y: at}}})
		}
		all = append(all, one)
	}
	return all
}

// A lengthAxis is one of lengths in tokens, on which doubling a length is a step, and the shortest is a step from none.
type lengthAxis struct {
	Axis
	least float64 // length that is not 0
}

func newLengthAxis(lengths []int) lengthAxis {
	lengths = slices.Compact(slices.Sorted(slices.Values(lengths)))
	a := lengthAxis{least: 1}
	if i := slices.IndexFunc(lengths, func(n int) bool { return n > 0 }); i >= 0 {
		a.least = float64(lengths[i])
	}
	for _, n := range lengths {
		a.Ticks = append(a.Ticks, Tick{At: a.place(n), Label: humanize.Comma(int64(n))})
	}
	a.Low, a.High = a.Ticks[0].At, a.Ticks[len(a.Ticks)-1].At
	return a
}

// place is where a length is. It is a logarithm above the shortest length, and in proportion below.
func (a lengthAxis) place(n int) float64 {
	share := float64(n) / a.least
	if share < 1 {
		return share
	}
	return 1 + math.Log2(share)
}
