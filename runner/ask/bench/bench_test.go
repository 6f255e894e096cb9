package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/scripts/tests/errortest"
)

func TestRatesAreAveragedNotTimes(t *testing.T) {
	row := newTest(Head{}, backends.EngineTest{Prompt: 100}, began, milliseconds(100, 200, 400))
	// 1000, 500 and 250 tokens a second; their mean is not 300 tokens in 0.7 s.
	assert.Check(t, math.Abs(row.Mean-1750.0/3) <= 1e-9, "mean %g", row.Mean)
	variance := 0.0
	for _, rate := range []float64{1000, 500, 250} {
		variance += (rate - 1750.0/3) * (rate - 1750.0/3) / 2
	}
	assert.Check(t, math.Abs(row.Deviation-math.Sqrt(variance)) <= 1e-9, "deviation %g, want %g", row.Deviation, math.Sqrt(variance))
	assert.Check(t, row.MeanNanoseconds == 233333333 && slices.Equal(row.Nanoseconds, []int64{1e8, 2e8, 4e8}) &&
		row.Time == "2026-11-20T08:30:00Z", "%+v", row)
	once := newTest(Head{}, backends.EngineTest{Prompt: 100}, began, milliseconds(100))
	assert.Check(t, once.Deviation == 0 && once.DeviationNanoseconds == 0, "a single repetition has a deviation: %+v", once)
}

func TestArraysAreJSONHoweverManyRows(t *testing.T) {
	for n := range 3 {
		var rows []Test
		err := json.Unmarshal([]byte(written(t, "json", Table{Build: cpu}, tests(cpu)[:n])), &rows)
		assert.Check(t, err == nil && len(rows) == n, "%d rows of %d: %v", len(rows), n, err)
	}
}

func TestFormatsAreFoundByName(t *testing.T) {
	got := written(t, "markdown", Table{Build: cpu}, tests(cpu))
	assert.Check(t, strings.HasPrefix(got, "| model "), "markdown: %q", got)
	_, err := NewPrinter("xml", nil, Table{Build: cpu})
	errortest.For(t, "xml", err, "there are md, json")
}

func TestATestWhoseRepetitionsScatterIsMarked(t *testing.T) {
	for _, test := range []struct {
		deviation float64
		want      string
		marked    bool
	}{{41.84, "29.96 ± 41.84 !", true}, {3.5, "29.96 ± 3.50 !", true}, {2.5, "29.96 ± 2.50", false}, {0, "29.96 ± 0.00", false}} {
		var out bytes.Buffer
		to, err := NewPrinter("md", &out, Table{Build: cpu})
		assert.NilError(t, err)
		row := Test{Head: Head{Build: cpu}, Generate: 4, Mean: 29.96, Deviation: test.deviation}
		assert.NilError(t, errors.Join(to.Print(row), to.Close()))
		assert.Check(t, strings.Contains(out.String(), " "+test.want+" |") &&
			strings.Contains(out.String(), "\n! the repetitions") == test.marked, "± %g:\n%s", test.deviation, &out)
	}
}
