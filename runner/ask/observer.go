package ask

import (
	"context"
	"fmt"

	"proctor/backends"
	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
)

// An Observer is notified of a session's progress. Each of its functions may be nil.
type Observer struct {
	OnEstimate func(line string)      // the expected time and memory
	OnPlan     func(line string)      // the engine's plan
	Warn       func(text string)      // anything that may affect the result
	Interim    func(*journal.Interim) // after it was written

	// Begin is called when a task starts in its folder, with its subjects; Item with each record after it was written. Open is called
	// when the model takes an item, and later with the number of tokens of its answer, where that is known.
	Begin func(folder string, header *journal.Header, subjects []progress.Subject)
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
	if takes := s.takes(known, others.Share); takes.Known() {
		text += fmt.Sprintf("; %s (%s)%s", takes, known.Source, taken(others))
	} else {
		text += "; duration unknown: " + known.Source
	}
	return text
}

// begin notifies the observer that a task starts, and what its journal has so far, marked by the run's own rules.
func (s *Session) begin(p *taskRun) error {
	if s.Begin == nil {
		return nil
	}
	answered := map[string]*results.Item{}
	if len(p.held.Done) > 0 {
		marked, err := results.OpenUnder(journal.File(p.folder), "")
		if err != nil {
			return err
		}
		for _, item := range marked.Items {
			if p.held.Done[item.ID] {
				answered[item.ID] = item
			}
		}
	}
	s.Begin(p.folder, &p.header, p.subjects(answered))
	return nil
}

// subjects are the plan's subjects in order, with the marks of the items that are answered already.
func (p *Plan) subjects(answered map[string]*results.Item) []progress.Subject {
	var all []progress.Subject
	at := map[string]int{}
	for _, item := range p.Items {
		i, known := at[item.Subject]
		if !known {
			i = len(all)
			at[item.Subject] = i
			all = append(all, progress.Subject{Name: item.Subject, Failures: map[string]int{}})
		}
		subject := &all[i]
		subject.Items++
		done := answered[item.ID]
		if done == nil {
			continue
		}
		subject.Done++
		if mark := done.Marks[0]; mark.Correct {
			subject.Correct++
		} else {
			subject.Failures[string(mark.Tag)]++
		}
	}
	return all
}
