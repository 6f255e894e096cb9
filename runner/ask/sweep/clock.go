package sweep

import (
	"time"

	"proctor/runner/ask/progress"
	"proctor/runner/journal"
	"proctor/runner/mark/stats"
)

// A clock reckons when a sweep ends: what is left at the pace of this call, all phases counted.
type clock struct {
	sweep *Sweep
	began time.Time
	asked int // items that were answered in this call
	left  int // of the candidate at work
}

func (k *clock) begin(s *Sweep) { *k = clock{sweep: s, began: s.Now()} }

// watched counts a candidate's answers.
func (k *clock) watched(seen func(*journal.Record), asked []progress.Subject) func(*journal.Record) {
	items, done := progress.Counts(asked)
	k.left = items - done
	return func(r *journal.Record) {
		k.asked++
		k.left--
		seen(r)
	}
}

// where is where the sweep stands.
func (k *clock) where() progress.Sweep {
	s := k.sweep
	out := progress.Sweep{Candidate: s.doc.Candidates[s.at].Name, Number: s.at + 1, Of: len(s.doc.Candidates)}
	left := k.left
	for i := range s.doc.Candidates[s.at+1:] {
		if c := &s.doc.Candidates[s.at+1+i]; s.waits(c) && c.State != Answered {
			left += s.Basis.Items()
		}
	}
	if k.asked > 0 {
		out.ETA = stats.Of(s.Now().Sub(k.began).Seconds() / float64(k.asked) * float64(left))
	}
	return out
}
