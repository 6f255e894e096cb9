package ask

import (
	"context"

	"proctor/backends"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// Expected is the time that a session's items are going to take, as far as that is known before they are asked. Seconds are undefined
// where it is unknown.
type Expected struct {
	Seconds  stats.Number
	Decoding stats.Number // of them, as far as they are no prefill
	Rough    bool         // measured in a second
}

// tellEstimate says what the session is going to take, and whether the time is a rough estimate.
func (s *Session) tellEstimate(ctx context.Context, largest backends.Workload) (rough bool) {
	line, expected := s.estimate(ctx, largest)
	if s.OnExpected != nil {
		s.OnExpected(expected)
	}
	if s.OnEstimate != nil {
		s.OnEstimate(line)
	}
	return expected.Rough
}

// estimate says how many questions will be asked, and how much time and memory they take as far as that is known.
func (s *Session) estimate(ctx context.Context, largest backends.Workload) (line string, expected Expected) {
	questions, items, until := 0, 0, false
	for _, plan := range s.plans {
		questions, items = questions+plan.asks(), items+len(plan.Items)
		until = until || plan.header.Selection.StopsItself()
	}
	text := format.Several(questions, "question")
	if items != questions {
		text += ", " + format.Several(items, "item")
	}
	if until {
		text = "up to " + text
	}
	if s.Resume {
		text += " in all"
	}
	forecaster, ok := s.model.(backends.Forecaster)
	if !ok {
		return text + "; duration unknown until the first answers", expected
	}
	known, err := forecaster.Forecast(ctx, largest)
	if err != nil { // planning will say it
		return text, expected
	}
	if known.Duration > 0 && largest.Requests > 0 {
		tasks := float64(items) / float64(largest.Requests)
		expected = Expected{stats.Of(known.Duration.Seconds() * tasks), stats.Number{}, known.Rough}
		if known.Prefill > 0 {
			expected.Decoding = stats.Of((known.Duration.Seconds() - float64(largest.UniqueTokens)/known.Prefill) * tasks)
		}
		text += "; " + Took(expected.Seconds.Or(0), known.Rough) + " (" + known.Source + ")"
	} else {
		text += "; duration unknown: " + known.Source
	}
	if total := known.Total(); total > 0 {
		text += "; " + format.Size(total, "") + " of memory"
	}
	return text, expected
}

// What a rough estimate is multiplied by for the range that is said: a second measures roughly, and nobody knows how long completions get.
const leastOfRough, mostOfRough = 0.6, 1.5

// Took says how long something is going to take; estimated, where that was measured in a second.
func Took(seconds float64, estimated bool) string {
	if estimated {
		return "about " + format.Between(leastOfRough*seconds, mostOfRough*seconds) + ", estimated"
	}
	return "about " + format.Roughly(seconds)
}
