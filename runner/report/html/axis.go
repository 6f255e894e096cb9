package html

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize"

	"proctor/runner/mark/stats"
)

// An Axis measures from Low to High.
type Axis struct {
	Low, High float64
	Ticks     []Tick
}

// A Tick is a labelled value of an axis.
type Tick struct {
	At    float64
	Label string
}

// Shares is an axis of shares from 0 to the next 10 % above the largest value, and at least to 20 %.
func Shares(values ...float64) Axis {
	most := 0.2
	for _, x := range values {
		most = max(most, x)
	}
	a := Axis{High: min(1, math.Ceil(10*most-1e-9)/10)}
	step := 0.1
	if a.High > 0.5 {
		step = 0.2
	}
	for i := 0; float64(i)*step <= a.High+1e-9; i++ {
		a.Ticks = append(a.Ticks, Tick{float64(i) * step, fmt.Sprintf("%.0f %%", 100*float64(i)*step)})
	}
	return a
}

// Counts is an axis from 0 to a round number above most, with about four ticks that label names.
func Counts(most float64, label func(float64) string) Axis {
	if !(most > 0) {
		most = 1
	}
	return Around(0, most, label)
}

// Around is an axis from a round number below low to one above high, with about four ticks that label names.
func Around(low, high float64, label func(float64) string) Axis {
	if !(high > low) {
		low, high = low-0.5, high+0.5
	}
	step := stepOf(high - low)
	first, last := math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	a := Axis{Low: first * step, High: last * step}
	for i := first; i <= last; i++ {
		a.Ticks = append(a.Ticks, Tick{i * step, label(i * step)})
	}
	return a
}

// stepOf is a round step that divides the range into about four.
func stepOf(most float64) float64 {
	step := math.Pow(10, math.Floor(math.Log10(most)))
	for _, part := range []float64{0.1, 0.2, 0.25, 0.5, 1, 2} {
		if most/(step*part) <= 5 {
			return step * part
		}
	}
	return step
}

// Plain labels a tick with its number, in four digits and without powers of ten: 0.00025, 1,250.
func Plain(x float64) string {
	if math.Abs(x) >= 1000 {
		return humanize.CommafWithDigits(x, 0)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64) // FormatFloat writes valid numbers
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// span is an interval's start and width, for attributes.
func (a Axis) span(i stats.Interval) (from, wide string) {
	return a.percent(i.Low), decimal(100*(a.share(i.High)-a.share(i.Low))) + "%"
}

// share is a value's place on the axis, from 0 to 1.
func (a Axis) share(x float64) float64 {
	return min(1, max(0, (x-a.Low)/(a.High-a.Low)))
}

// percent is a value's place on the axis, for an attribute.
func (a Axis) percent(x float64) string { return decimal(100*a.share(x)) + "%" }

// decimal formats a number for an attribute, to 0.01.
func decimal(x float64) string { return strconv.FormatFloat(math.Round(100*x)/100, 'f', -1, 64) }

// anchor is the text-anchor of a label at a share of the width, so that the label stays inside.
func anchor(share float64) string {
	switch {
	case share < 0.08:
		return "start"
	case share > 0.92:
		return "end"
	}
	return "middle"
}

// A LengthPoint is the figure at one length.
type LengthPoint struct {
	Length   int
	Value    stats.Number
	Interval stats.Interval
}

// ByLength draws a curve of shares over an axis of lengths, with the guessing baseline if it is defined. Without points there is no plot.
func ByLength(plot Plot, guessing stats.Number, points []LengthPoint) []Drawing {
	if len(points) == 0 {
		return nil
	}
	var lengths []int
	values := []float64{guessing.Or(0)}
	for _, p := range points {
		lengths, values = append(lengths, p.Length), append(values, p.Value.Or(0), p.Interval.High)
	}
	x := newLengthAxis(lengths)
	curve := Curve{Name: plot.YLabel}
	for _, p := range points {
		curve.Add(x.place(p.Length), p.Value, p.Interval)
	}
	plot.X, plot.Y, plot.Curves = x.Axis, Shares(values...), []Curve{curve}
	if at, known := guessing.Get(); known {
		plot.Curves = append(plot.Curves, Curve{Name: "guessing", Dashed: true, Points: []Point{{X: x.Low, Y: at}, {X: x.High, Y: at}}})
	}
	return []Drawing{plot}
}

// A lengthAxis is an axis of lengths in tokens: each doubling is a step, and so is that from 0 to the shortest length.
type lengthAxis struct {
	Axis
	least float64 // shortest length above 0
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

// place is a length's place, logarithmic above the shortest length and linear below.
func (a lengthAxis) place(n int) float64 {
	share := float64(n) / a.least
	if share < 1 {
		return share
	}
	return 1 + math.Log2(share)
}
