package ask

import (
	"context"
	"fmt"

	"proctor/backends"
	"proctor/runner/mark/format"
)

// ahead says, before anything is computed, how much is going to be asked, and what time and memory that takes, as far as it is
// known.
func (s *Session) ahead(ctx context.Context, model backends.Model, largest backends.Workload) string {
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
	forecaster, ok := model.(backends.Forecaster)
	if !ok {
		return text
	}
	known, err := forecaster.Forecast(ctx, largest)
	if err != nil { // planning will say it
		return text
	}
	if known.Duration > 0 && largest.Requests > 0 {
		seconds := known.Duration.Seconds() * float64(items) / float64(largest.Requests)
		text += fmt.Sprintf("; about %s (%s)", format.Roughly(seconds), known.Source)
	} else {
		text += "; duration unknown: " + known.Source
	}
	if total := known.Total(); total > 0 {
		text += "; " + format.Size(total, "") + " of memory"
	}
	return text
}
