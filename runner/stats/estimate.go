package stats

import "encoding/json"

// Interval is a two-sided confidence interval. The zero value is undefined, and an Interval that is defined has
// finite bounds.
type Interval struct {
	Low, High  float64
	Confidence float64 // such as 0.95
	Method     string  // how it was made, in a word or two
}

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
	*i = Interval{read.Low.value, read.High.value, read.Confidence.value, read.Method}
	return nil
}

// Estimate is a value with what is known of its uncertainty.
type Estimate struct {
	Value    Number
	SE       Number // standard error
	Interval Interval
	Warnings []string // one line each, for people
}

// between makes an interval inside [floor, ceiling], or an undefined one where a bound is not a finite number.
func between(low, high, floor, ceiling, confidence float64, method string) Interval {
	l, h := Of(max(low, floor)), Of(min(high, ceiling))
	if !l.Defined() || !h.Defined() {
		return Interval{}
	}
	return Interval{Low: l.value, High: h.value, Confidence: confidence, Method: method}
}
