package bench

import (
	"context"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/scripted"
)

// beside is an engine beside which others took a share of the CPUs before a test, and another one during it.
type beside struct {
	scripted.Model
	shares []float64
}

func (b *beside) Others() backends.Load {
	share := b.shares[0]
	b.shares = b.shares[1:]
	return backends.Load{Share: share, CPUs: 2, FewestThreads: 1, MostThreads: 2}
}

func (b *beside) Summary() backends.Summary                                    { return small }
func (b *beside) CheckTest(backends.EngineSettings, backends.EngineTest) error { return nil }
func (b *beside) RunTest(context.Context, backends.EngineSettings, backends.EngineTest, func(bool)) ([]time.Duration, error) {
	return milliseconds(500), nil
}

func TestRowsSayWhatOtherProgramsDidMeanwhile(t *testing.T) {
	bench := Bench{Build: cpu, Now: func() time.Time { return began }}
	tests := []backends.EngineTest{{Prompt: 512, Repetitions: 1}, {Generate: 128, Repetitions: 1}}
	for _, format := range Formats {
		models := []Opening{{"m", func(context.Context) (backends.Model, error) {
			return &beside{shares: []float64{0.9, 0.02, 0.9, 0.55}}, nil
		}}}
		var out strings.Builder
		p, err := NewPrinter(format, &out, Table{Build: cpu})
		assert.NilError(t, err)
		assert.NilError(t, bench.Tests(t.Context(), models, plain, tests, p))
		want, never := "\n\nbusy machine, row 2: other programs took 1.1 of 2 cores; computed on 1 to 2 threads\n\nbuild: ", "row 1"
		if format == "json" {
			want, never = `"other_programs": {
      "cpu_share": 0.55,
      "cpus": 2,
      "threads_least": 1,
      "threads_most": 2
    },`, "0.9"
		}
		got := out.String()
		assert.Check(t, strings.Contains(got, want) && !strings.Contains(got, never), "%s\nwant %q, and no %q", got, want, never)
	}
}

func TestSeveralRoundsHaveTheLoadOfTheBusiest(t *testing.T) {
	var sessions []*session
	for _, share := range []float64{0.2, 0.7, 0.1} {
		sessions = append(sessions, &session{row: Eval{Head: Head{Others: backends.Load{Share: share, CPUs: 2}}}})
	}
	assert.Check(t, is.Equal(evalOf(sessions).Others.Share, 0.7))
}
