package sweep

import (
	"time"

	"proctor/runner/ask"
	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/mark/stats"
)

// A clock reckons when a sweep ends: what is left at the pace of this call, all phases counted.
type clock struct {
	began time.Time
	at    int // the candidate that was first asked in this call; -1 before
	asked int // items that were answered in this call
	left  int // of the candidate at work
	slots int // of its model
}

// fewItems say nothing of a sweep's pace, however few slots there are: making and loading a model would be spread over them alone.
const fewItems = 10

// watching counts a candidate's answers, of which an observer is told.
func (k *clock) watching(o ask.Observer) ask.Observer {
	begin, item := o.Begin, o.Item
	o.Begin = func(folder string, header *journal.Header, asked []progress.Subject) {
		items, done := progress.Counts(asked)
		k.left, k.slots = items-done, header.Backend.Slots
		if begin != nil {
			begin(folder, header, asked)
		}
	}
	o.Item = func(r *journal.Record) {
		k.asked++
		k.left--
		if item != nil {
			item(r)
		}
	}
	return o
}

// Where is where the sweep stands.
func (s *Sweep) Where() progress.Sweep {
	k := &s.clock
	out := progress.Sweep{Candidate: s.doc.Candidates[s.at].Name, Number: s.at + 1, Of: len(s.doc.Candidates)}
	left := k.left
	for i := range s.doc.Candidates[s.at+1:] {
		if c := &s.doc.Candidates[s.at+1+i]; s.waits(c) && c.State != Answered {
			left += s.Asked[s.at+1+i].Items
		}
	}
	if k.asked >= max(fewItems, 2*k.slots) {
		out.ETA = stats.Of(s.Now().Sub(k.began).Seconds() / float64(k.asked) * float64(left))
	}
	return out
}
