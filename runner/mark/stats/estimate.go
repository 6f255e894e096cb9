package stats

import (
	"encoding/json"
	"math"
)

// Interval is a two-sided confidence interval. The zero value is undefined, and an Interval that is defined has
// finite bounds.
type Interval struct {
	Low, High  float64
	Confidence float64 // such as 0.95
	Method     string  // how it was made, in a word or two
}

// everything is the share of a range from which on an interval says nothing, as after one or two questions.
const everything = 0.95

// IsZero says whether the interval is undefined.
func (i Interval) IsZero() bool { return i.Method == "" }

// HalfWidth is half the distance between the bounds.
func (i Interval) HalfWidth() Number {
	if i.IsZero() {
		return Undefined
	}
	return Of((i.High - i.Low) / 2)
}

// Contains says whether x lies in the interval, bounds included.
func (i Interval) Contains(x float64) bool { return !i.IsZero() && i.Low <= x && x <= i.High }

// MarshalJSON writes {low, high, confidence, method}.
func (i Interval) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Low        Number `json:"low"`
		High       Number `json:"high"`
		Confidence Number `json:"confidence"`
		Method     string `json:"method"`
	}{Of(i.Low), Of(i.High), Of(i.Confidence), i.Method})
}

// UnmarshalJSON reads what [Interval.MarshalJSON] writes.
func (i *Interval) UnmarshalJSON(text []byte) error {
	var read struct {
		Low, High, Confidence Number
		Method                string
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*i = Interval{Low: read.Low.value, High: read.High.value, Confidence: read.Confidence.value, Method: read.Method}
	return nil
}

// Estimate is a value with its uncertainty, where known.
type Estimate struct {
	Value    Number   `json:"value,omitzero"`
	SE       Number   `json:"-"` // standard error
	Interval Interval `json:"ci,omitzero"`
	Warnings []string `json:"-"` // one line each, for people

	test test // its inversion is the interval
}

// A test compares an estimate with another value; the zero value is none.
type test struct {
	p func(null float64) Number // two-sided

	size float64 // for a proportion: the equivalent number of independent questions
}

// P is the two-sided p-value of "the true value is null", by the test whose inversion the interval is: below 1 − confidence exactly
// where the interval leaves null out. Undefined without an interval.
func (e Estimate) P(null float64) Number {
	if e.test.p == nil || !e.Value.defined {
		return Undefined
	}
	return e.test.p(null)
}

// Above is the one-sided p-value of "the true value is null or less", by the same test.
func (e Estimate) Above(null float64) Number {
	half := e.P(null).Times(0.5)
	if half.Defined() && e.Value.value < null {
		return Of(1 - half.value)
	}
	return half
}

// QuestionsToShow is the fewest questions with which that test shows that the value is above null with the given power, if the
// estimate from questions is the truth: for a proportion exactly, from the binomial distribution, and else from the standard error,
// which falls with the root of their number. ok is false where the value is null or below it, and where the error is unknown.
func (e Estimate) QuestionsToShow(questions int, null, confidence, power float64) (needed int, ok bool) {
	gap := e.Value.Or(null) - null
	var n float64
	switch {
	case e.test.p == nil || !(gap > 0):
		return 0, false
	case e.test.size > 0:
		n = proportionToShow(e.Value.value, null, confidence, power) * float64(questions) / e.test.size
	case e.SE.Or(0) > 0:
		ratio := reach(confidence, power) * e.SE.value / gap
		n = float64(questions) * ratio * ratio
	}
	if !(n > 0 && n <= math.MaxInt32) {
		return 0, false
	}
	return int(math.Ceil(n)), true
}

// furthest is the largest normal quantile whose tail is held as an ordinary float64.
const furthest = 37.0

// boundsTest inverts an interval that is made for a normal quantile z, and is wider for a larger one.
func boundsTest(bounds func(z float64) (low, high float64)) test {
	return test{p: func(null float64) Number {
		return twoSided(normalTail(bisect(0, furthest, 60, func(z float64) bool {
			low, high := bounds(z)
			return null < low || high < null
		})))
	}}
}

// bisect is the last x, going from low to high or down, for which holds is true, by times halvings.
func bisect(low, high float64, times int, holds func(x float64) bool) float64 {
	for range times {
		if middle := (low + high) / 2; holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// bounded is the estimate of a mean in [floor, ceiling] whose variance was estimated with degrees of freedom: as a [share] of the
// range, over the number of independent 0/1 questions with the same variance, p̂(1−p̂)/variance, times (z/t)² for the degrees of
// freedom (Korn and Graubard 1998, Surv. Methodol. 24:193). Where all units are alike, a variance of 0 does not say how different the
// next one may be: the size is then their number.
func bounded(value, variance, floor, ceiling, freedom, units, confidence float64) Estimate {
	span := ceiling - floor
	e, method := Estimate{Value: Of(value), SE: Of(math.Sqrt(variance))}, "wilson, effective size"
	s := share{min(1, max(0, (value-floor)/span)), units}
	if spread := s.p * (1 - s.p) * span * span; variance > roundingVariance*max(1, value*value) && spread > 0 {
		finite := normalQuantile(confidence) / studentQuantile(confidence, freedom)
		s.n = spread / variance * finite * finite
	} else {
		e.SE, method = Of(0), "wilson by question"
	}
	if e.Interval = s.interval(confidence, method); !e.Interval.IsZero() {
		i := e.Interval
		e.Interval = between(floor+i.Low*span, floor+i.High*span, floor, ceiling, confidence, i.Method)
	}
	e.test = s.test()
	within := e.test.p
	e.test.p = func(null float64) Number { return within((null - floor) / span) }
	return e
}

func twoSided(tail Number) Number { return atMostOne(tail.Times(2)) }

// between makes an interval inside [floor, ceiling], or an undefined one where a bound is not a finite number.
func between(low, high, floor, ceiling, confidence float64, method string) Interval {
	l, h := Of(max(low, floor)), Of(min(high, ceiling))
	if !l.Defined() || !h.Defined() {
		return Interval{}
	}
	return Interval{Low: l.value, High: h.value, Confidence: confidence, Method: method}
}
