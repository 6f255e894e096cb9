package compare

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

// inFlight gives a run's records the times of a backend that answers several items at a time, each for a given time.
func inFlight(p *pairstest.Run, slots int, each time.Duration) {
	p.Header.Backend.Slots = slots
	for i := range p.Records {
		r := &p.Records[i]
		r.Began, r.Timing.Total = p.Header.History[0].Created.Add(time.Duration(i/slots)*each), each
	}
}

func TestSeparateRunsSayNothingOfWhichIsFaster(t *testing.T) {
	know := func(q int) bool { return q%3 > 0 }
	idle, busy := pairstest.MCQ("Q8_0", 280, know), pairstest.MCQ("Q8_0", 280, know)
	inFlight(&idle, 8, time.Second)
	inFlight(&busy, 8, 2100*time.Millisecond) // the same model beside another program
	c := compared(t, pairs.Options{}, idle, busy)
	wall := c.Runs[1].Speed.WallSeconds.Or(0) / c.Runs[0].Speed.WallSeconds.Or(1)
	assert.Assert(t, wall >= 2, "the runs' speeds differ by %g", wall)
	for _, format := range figures {
		var out bytes.Buffer
		assert.NilError(t, format.Write(&out, c))
		for _, claim := range []string{"× faster", "× slower", "time an item", "time a question", "mann", "Mann", "t/s  change"} {
			assert.Check(t, !strings.Contains(out.String(), claim), "%s claims %q of speed", format.Name, claim)
		}
		said := strings.Contains(out.String(), "not measured together") &&
			!strings.Contains(out.String(), "proctor bench") // of a model compared with itself
		if prose := !strings.Contains(format.Name, "csv") && format.Name != "json"; prose && !said {
			t.Errorf("%s does not say what measures speed:\n%s", format.Name, &out)
		}
	}
}

func TestWhatMeasuresSpeedIsOfTwoModelsOrEngines(t *testing.T) {
	of := func(name, engine string) pairstest.Run {
		run := pairstest.MCQ(name, 40, func(int) bool { return true })
		run.Header.Backend.Version = engine
		return run
	}
	first, unnamed := of("Q8_0", "b1"), of("Q8_0", "b1")
	unnamed.Header.Model.Ref = ""
	for want, runs := range map[string][]pairstest.Run{
		"": {first, of("Q8_0", "b1")}, "proctor bench --exam Q8_0.gguf Q4_0.gguf": {first, of("Q4_0", "b1"), of("Q8_0", "b2")},
		"proctor bench --exam Q8_0.gguf --engine A,B": {first, of("Q8_0", "b2")}, "proctor bench --exam A B": {first, unnamed},
	} {
		assert.Check(t, is.Equal(benchCommand(compared(t, pairs.Options{Force: true}, runs...)), want))
	}
}

func TestTheRunsSpeedsStandBesideEachOther(t *testing.T) {
	know := func(q int) bool { return q%3 > 0 }
	whole, early := pairstest.MCQ("Q8_0", 40, know), pairstest.MCQ("Q8_0", 40, know)
	inFlight(&whole, 4, 2*time.Second)
	inFlight(&early, 4, time.Second)
	for i := range early.Records {
		early.Records[i].Usage.OutputTokens = 30
	}
	c := compared(t, pairs.Options{}, whole, early)
	grid := rateSection(c).Table
	figures := map[string][]string{}
	for _, row := range grid.Rows {
		figures[row[0]] = row[1:]
	}
	for name, want := range map[string]string{
		"questions/min, same items": "120.0 240.0", "wall time": "20.0 s 10.0 s", "output_tokens": "2,000 1,200",
	} {
		assert.Check(t, is.Equal(strings.Join(figures[name], " "), want), "%s", name)
	}
	for _, row := range grid.Rows {
		assert.Check(t, strings.Join(row[1:], "") != "n/an/a", "%s is known of no run", row[0])
	}
}

// TestSpeedsOfOtherWorkAreAbsentWithTheReason has a run of fewer questions, whose speed must not be shown beside the other's.
func TestSpeedsOfOtherWorkAreAbsentWithTheReason(t *testing.T) {
	know := func(q int) bool { return q%3 > 0 }
	whole, part := pairstest.MCQ("Q8_0", 140, know), pairstest.MCQ("Q4_K_M", 56, know)
	inFlight(&whole, 4, 2*time.Second)
	inFlight(&part, 4, time.Second)
	c, document := written(t, t.TempDir(), pairs.Options{Force: true}, whole, part)
	const why = "peeds are not compared: Q8_0 has 140 items and Q4_K_M 56; 56 are in both; " +
		"proctor bench --exam Q8_0.gguf Q4_K_M.gguf compares them"
	texts := map[string]string{"html": html.UnescapeString(document)}
	for _, format := range slices.Concat(figures, Full[:2]) {
		var out bytes.Buffer
		assert.NilError(t, format.Write(&out, c))
		texts[format.Name+fmt.Sprint(len(texts))] = out.String()
	}
	for name, text := range texts {
		switch {
		case strings.HasPrefix(name, "json"):
			assert.Check(t, strings.Contains(text, `"speed_not_compared": "Q8_0 has 140 items`) &&
				!strings.Contains(text, "compared_questions_per_minute"), "%s", text)
		case strings.HasPrefix(name, "csv"):
		default:
			assert.Check(t, strings.Count(text, why) == 1, "%s says it %d times", name, strings.Count(text, why))
			for _, figure := range []string{"as fast", "output, end to end", "questions/min", "Pareto"} {
				assert.Check(t, !strings.Contains(text, figure), "%s has %q", name, figure)
			}
		}
	}
	assert.Check(t, len(placeDrawing(c)) == 0, "speeds that are not compared are drawn")
}

// TestRunsWithoutSpeedsNeedNoReason has runs of different questions, as from another harness's log.
func TestRunsWithoutSpeedsNeedNoReason(t *testing.T) {
	know := func(int) bool { return true }
	of := func(count int) pairstest.Run {
		run := pairstest.MCQ("Q8_0", count, know)
		for i := range run.Records {
			run.Records[i].Timing, run.Records[i].Usage = backends.Timing{}, backends.Usage{}
		}
		return run
	}
	c := compared(t, pairs.Options{Force: true}, of(40), of(30))
	assert.Check(t, c.OtherWork != "" && len(rateSection(c).Notes) == 0, "%q", rateSection(c).Notes)
}
