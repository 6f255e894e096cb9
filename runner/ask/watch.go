package ask

import (
	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/mark/results"
)

// begin tells the observer, if any, that a task begins, and where it stands in its journal.
func (s *Session) begin(plan *Plan, folder string, header *journal.Header, resume *journal.Resume) error {
	if s.Begin == nil {
		return nil
	}
	earlier, err := answered(journal.File(folder), resume)
	if err == nil {
		s.Begin(folder, header, plan.subjects(earlier))
	}
	return err
}

// answered are the items that a run has an answer to, by id, marked by its own rules.
func answered(run string, resume *journal.Resume) (map[string]*results.Item, error) {
	all := map[string]*results.Item{}
	if len(resume.Done) == 0 {
		return all, nil
	}
	marked, err := results.OpenUnder(run, "")
	if err != nil {
		return nil, err
	}
	for _, item := range marked.Items {
		if resume.Done[item.ID] {
			all[item.ID] = item
		}
	}
	return all, nil
}

// subjects are those of the plan in their order, with what came of the items that are answered already.
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
