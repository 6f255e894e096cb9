package ask

import (
	"context"
	"fmt"

	"proctor/backends"
	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
)

// An Observer is notified of a session's progress. Each of its functions may be nil.
type Observer struct {
	OnEstimate func(line string)      // the expected time and memory
	OnPlan     func(line string)      // the engine's plan
	Warn       func(text string)      // anything that may affect the result
	Interim    func(*journal.Interim) // after it was written

	// Begin is called when a task starts in its folder, with what earlier sessions have; Item with each record after it
	// was written. Open is called when the model takes an item, and later with the number of tokens of its answer, where
	// that is known.
	Begin func(folder string, header *journal.Header, from progress.Counts)
	Item  func(*journal.Record)
	Open  func(id string, tokens int)
}

// Notify calls an observer's function, unless it is nil.
func Notify[T any](observe func(T), what T) {
	if observe != nil {
		observe(what)
	}
}

// estimate is a line with the number of questions and the expected time. The plan of the memory is a line of its own.
func (s *Session) estimate(ctx context.Context, largest backends.Workload) string {
	questions, items, left, until := 0, 0, 0, false
	for _, plan := range s.plans {
		questions, items, left = questions+plan.asks(), items+len(plan.Items), left+plan.left().items
		until = until || plan.header.Selection.StopsItself()
	}
	text := format.Several(questions, "question")
	if items != questions {
		text += ", " + format.Several(items, "item")
	}
	if until {
		text = "up to " + text
	}
	if left < items {
		text += fmt.Sprintf(" in all, %s of them left", format.Several(left, "item"))
	}
	forecaster, ok := s.model.(backends.Forecaster)
	if !ok {
		return text + "; duration unknown until the first answers"
	}
	known, others, err := s.foresee(func() (backends.Forecast, error) { return forecaster.Forecast(ctx, largest) })
	if err != nil { // planning reports the error
		return text
	}
	if takes := s.takes(known, others.Share); takes != "" {
		text += fmt.Sprintf("; %s (%s)%s", takes, known.Source, taken(others))
	} else {
		text += "; duration unknown: " + known.Source
	}
	return text
}
