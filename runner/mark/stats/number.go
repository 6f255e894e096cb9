package stats

import (
	"encoding/json"
	"math"
	"strconv"
)

// Number is a finite float64 or undefined; the zero value is undefined. It never holds NaN, an infinity or
// negative zero. In JSON an undefined Number is null; with the omitzero option it is absent.
type Number struct {
	value   float64
	defined bool
}

// Undefined is the Number that could not be computed.
var Undefined = Number{}

// Of makes a Number of x: undefined where x is NaN or infinite, and 0 where x is negative zero.
func Of(x float64) Number {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Undefined
	}
	return Number{value: x + 0, defined: true} // -0 + 0 is +0
}

// Known is the value that x points at, undefined for nil.
func Known(x *float64) Number {
	if x == nil {
		return Undefined
	}
	return Of(*x)
}

// Ratio is numerator / denominator, undefined for a denominator of 0.
func Ratio(numerator, denominator int) Number {
	if denominator == 0 {
		return Undefined
	}
	return Of(float64(numerator) / float64(denominator))
}

// Get returns the value and whether it is defined.
func (n Number) Get() (float64, bool) { return n.value, n.defined }

// Defined says whether there is a value.
func (n Number) Defined() bool { return n.defined }

// Or returns the value, or fallback where it is undefined.
func (n Number) Or(fallback float64) float64 {
	if !n.defined {
		return fallback
	}
	return n.value
}

// IsZero says whether the Number is undefined; encoding/json's omitzero uses it.
func (n Number) IsZero() bool { return !n.defined }

// Digits of a written Number: more than any statistic here deserves, and few enough that machines whose arithmetic differs in the last bits
// (fused multiply-add) write the same. A fraction such as 3/32 may lie halfway between two numbers with so few digits. The
// last bits must not decide there either, so it is rounded to guardDigits first.
const (
	significantDigits = 12
	guardDigits       = 14
)

// Rounded is the value with up to 12 significant digits, as in JSON; 0 where it is undefined.
func (n Number) Rounded() float64 { return round(round(n.value, guardDigits), significantDigits) }

// round rounds to this many significant digits.
func round(x float64, digits int) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64) // the largest float is rounded down
	return rounded
}

// MarshalJSON writes the value with up to 12 significant digits, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.defined {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, n.Rounded(), 'g', -1, 64), nil
}

// UnmarshalJSON reads what [Number.MarshalJSON] writes.
func (n *Number) UnmarshalJSON(text []byte) error {
	var x *float64
	if err := json.Unmarshal(text, &x); err != nil || x == nil {
		*n = Undefined
		return err
	}
	*n = Of(*x)
	return nil
}
