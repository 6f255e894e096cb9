package ask

import (
	"context"

	"proctor/backends"
	"proctor/runner/mark/format"
)

// tellEstimate says what the session is going to take, and whether the time is a rough estimate.
func (s *Session) tellEstimate(ctx context.Context, largest backends.Workload) (rough bool) {
	line, rough := s.estimate(ctx, largest)
	s.OnEstimate(line)
	return rough
}

// estimate says how many questions will be asked, and how much time and memory they take as far as that is known.
func (s *Session) estimate(ctx context.Context, largest backends.Workload) (line string, rough bool) {
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
		return text + "; duration unknown until the first answers", false
	}
	known, err := forecaster.Forecast(ctx, largest)
	if err != nil { // planning will say it
		return text, false
	}
	if known.Duration > 0 && largest.Requests > 0 {
		text += "; " + Took(known.Duration.Seconds()*float64(items)/float64(largest.Requests), known.Rough) + " (" + known.Source + ")"
	} else {
		text += "; duration unknown: " + known.Source
	}
	if total := known.Total(); total > 0 {
		text += "; " + format.Size(total, "") + " of memory"
	}
	return text, known.Rough
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
