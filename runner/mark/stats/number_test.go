package stats

import (
	"encoding/json"
	"math"
	"testing"

	"gotest.tools/v3/assert"
)

// near fails the test unless got is within tolerance of want.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	assert.Check(t, math.Abs(got-want) <= tolerance, "%s: got %.12g, want %.12g ± %g", what, got, want, tolerance)
}

// value is n's value; an undefined one fails the test.
func value(t *testing.T, what string, n Number) float64 {
	t.Helper()
	x, defined := n.Get()
	assert.Assert(t, defined, "%s: undefined", what)
	return x
}

func TestNumberInJSON(t *testing.T) {
	tests := []struct {
		name   string
		number Number
		want   string
	}{
		{"a plain fraction keeps its digits", Of(0.1109), `{"n":0.1109}`},
		{"rounding noise in the last bits is cut", Of(0.1 + 0.2), `{"n":0.3}`},
		{"a fraction in the middle goes one way", Of(math.Nextafter(0.09625244140625, 1)), `{"n":0.0962524414062}`},
		{"from both sides", Of(math.Nextafter(0.09625244140625, 0)), `{"n":0.0962524414062}`},
		{"the largest float stays finite", Of(math.MaxFloat64), `{"n":1.79769313486e+308}`},
		{"twelve digits are kept", Of(2.0 / 3), `{"n":0.666666666667}`},
		{"a p-value may be tiny", Of(1.5e-300), `{"n":1.5e-300}`},
		{"zero is a value", Of(0), `{"n":0}`},
		{"negative zero becomes zero", Of(math.Copysign(0, -1)), `{"n":0}`},
		{"NaN is undefined and absent", Of(math.NaN()), `{}`},
		{"plus infinity is undefined and absent", Of(math.Inf(1)), `{}`},
		{"minus infinity is undefined and absent", Of(math.Inf(-1)), `{}`},
		{"nothing over nothing is absent", Ratio(0, 0), `{}`},
		{"a whole number has no point", Ratio(4, 2), `{"n":2}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := json.Marshal(struct {
				N Number `json:"n,omitzero"`
			}{test.number})
			assert.NilError(t, err)
			assert.Check(t, string(got) == test.want, "got %s, want %s", got, test.want)
		})
	}
}

func TestAnUndefinedIntervalIsAbsentInJSON(t *testing.T) {
	type holder struct {
		CI Interval `json:"ci,omitzero"`
	}
	for name, test := range map[string]struct {
		interval Interval
		want     string
	}{
		"no trials": {Proportion(0, 0, 0.95).Interval, `{}`},
		"five of ten": {Interval{Low: 0.25, High: 0.75, Confidence: 0.95, Method: "m"},
			`{"ci":{"low":0.25,"high":0.75,"confidence":0.95,"method":"m"}}`},
		"a bound that cannot be computed": {between(math.NaN(), 1, 0, 1, 0.95, "m"), `{}`},
	} {
		got, err := json.Marshal(holder{test.interval})
		assert.NilError(t, err)
		assert.Check(t, string(got) == test.want, "%s: got %s, want %s", name, got, test.want)
	}
}

func TestJSONIsReadBackAsItWasWritten(t *testing.T) {
	type holder struct {
		N  Number   `json:"n,omitzero"`
		P  Number   `json:"p"`
		CI Interval `json:"ci,omitzero"`
	}
	for name, want := range map[string]holder{
		"all":     {Of(0.25), Of(-3), Interval{Low: 0.25, High: 0.75, Confidence: 0.95, Method: "m"}},
		"nothing": {},
	} {
		text, err := json.Marshal(want)
		assert.NilError(t, err)
		got := holder{N: Of(7), P: Of(7)}
		if name == "nothing" {
			got.N = Undefined // absent keys leave what was there
		}
		err = json.Unmarshal(text, &got)
		assert.Check(t, err == nil && got == want, "%s: %s is read as %+v (%v), want %+v", name, text, got, err, want)
	}
	for _, bad := range []string{`{"n":"a"}`, `{"ci":[1,2]}`} {
		err := json.Unmarshal([]byte(bad), new(holder))
		assert.Check(t, err != nil, "%s is read without an error", bad)
	}
}
