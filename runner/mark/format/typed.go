package format

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Typed is how people write shares and differences of shares on a command line.
const Typed = "Write a share as 2% or 0.02, and a difference of shares as 1pp, 1% or 0.01."

// number matches a decimal number and its unit.
var number = regexp.MustCompile(`^([+-]?(?:\d+\.?\d*|\.\d+))(e[+-]?\d+)?\s*(%|pp|)$`)

// ParseShare reads a share as people type it, 2% or 0.02: a fraction from 0 to 1.
func ParseShare(text string) (float64, error) {
	x, unit, err := parse(text, "share", "2% or 0.02")
	switch {
	case err != nil:
		return 0, err
	case unit == "pp":
		return 0, fmt.Errorf("%s is a difference of shares, a share is wanted: write %s", text, strings.Replace(text, "pp", "%", 1))
	case x > 1:
		return 0, over(text, x, unit, "%")
	}
	return x, nil
}

// ParsePoints reads a difference of shares as people type it, 1pp, 1% or 0.01: a fraction from 0 to below 1. A bare 1 is
// refused: one point is meant more often than a hundred.
func ParsePoints(text string) (float64, error) {
	x, unit, err := parse(text, "difference of shares", "1pp or 0.01")
	switch {
	case err != nil:
		return 0, err
	case x == 1 && unit == "":
		return 0, fmt.Errorf("%s is a hundred percentage points: %spp is meant?", text, text)
	case x >= 1:
		return 0, over(text, x, unit, "pp")
	}
	return x, nil
}

// parse reads a number with a unit; kind and example are for its errors.
func parse(text, kind, example string) (x float64, unit string, err error) {
	parts := number.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil || parts[2] != "" && parts[3] != "" {
		return 0, "", fmt.Errorf("%q is not a %s: write it as %s", text, kind, example)
	}
	digits, unit := parts[1]+parts[2], parts[3]
	if unit != "" {
		digits += "e-2" // not divided by 100, which can be a bit off: 2.9% is 0.029
	}
	if x, err = strconv.ParseFloat(digits, 64); err != nil {
		return 0, "", fmt.Errorf("%q is not a %s: write it as %s", text, kind, example)
	}
	if x < 0 {
		return 0, "", fmt.Errorf("%s is below 0: write a %s as %s", text, kind, example)
	}
	return x, unit, nil
}

// over is the error of a number that is too large; without a unit, it may want one.
func over(text string, x float64, unit, wanted string) error {
	switch {
	case unit != "":
		return fmt.Errorf("%s is too much: there are 100%s at most", text, unit)
	case x <= 100:
		return fmt.Errorf("%s is over 1: %s%s is meant?", text, text, wanted)
	}
	return fmt.Errorf("%s is over 1, and over 100%s", text, wanted)
}

// TypedPoints is a difference of shares as [ParsePoints] takes it: 1pp.
func TypedPoints(difference float64) string { return typed(difference) + "pp" }

// TypedShare is a share as [ParseShare] takes it: 95%.
func TypedShare(share float64) string { return typed(share) + "%" }

// typed is a hundred times a number, in the fewest digits of up to 12.
func typed(x float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(100*x, 'g', 12, 64), 64) // always a number
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
