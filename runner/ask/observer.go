package ask

import (
	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/mark/forecast"
)

// An Observer is notified of a session's progress. Each of its functions may be nil.
type Observer struct {
	OnEstimate func(*forecast.Run)    // before the model sets memory aside
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
