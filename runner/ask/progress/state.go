package progress

import (
	"maps"
	"time"

	"proctor/runner/journal"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/stats"
)

// A Subject is a subject's number of items in the task, with the results from earlier sessions.
type Subject struct {
	Name        string
	Items, Done int            // done ones are not asked again
	Correct     int            // of those done
	Failures    map[string]int // of those done, by tag
}

// Counts adds up all subjects.
func Counts(subjects []Subject) (items, done int) {
	for _, s := range subjects {
		items += s.Items
		done += s.Done
	}
	return items, done
}

// A State counts the answers of a task as they come.
type State struct {
	header   *journal.Header
	rules    grade.RuleSet
	began    time.Time
	subjects []*counted
	named    map[string]*counted // the same by name
	whole    counted
	tokens   int // evaluated or generated
	busy     time.Duration
	failures map[string]int
	open     map[string]int // tokens of unfinished answers, where known, by the item's id
	sweep    func() Sweep   // nil where the task is no part of one
}

// In adds the progress of the sweep that the task belongs to.
func (s *State) In(sweep func() Sweep) { s.sweep = sweep }

// counted are the counts of some items; answered are this session's, the others include earlier sessions.
type counted struct {
	Part
	answered int
}

// New begins to count a task's answers, by the rules of its run.
func New(header *journal.Header, subjects []Subject, now time.Time) *State {
	rules, _ := grade.Own(header)
	s := &State{header: header, rules: rules, began: now, failures: map[string]int{}, open: map[string]int{},
		named: map[string]*counted{}}
	s.whole.Total, s.whole.Done = Counts(subjects)
	for _, subject := range subjects {
		scored := subject.Done - subject.Failures[string(grade.HarnessError)]
		c := &counted{Part: Part{Subject: subject.Name, Done: subject.Done, Total: subject.Items, Scored: scored, Correct: subject.Correct}}
		s.subjects, s.named[subject.Name] = append(s.subjects, c), c
		s.whole.Scored, s.whole.Correct = s.whole.Scored+scored, s.whole.Correct+subject.Correct
		for tag, n := range subject.Failures {
			s.failures[tag] += n
		}
	}
	return s
}

// Open counts an unfinished answer, with its number of tokens.
func (s *State) Open(id string, tokens int) { s.open[id] = tokens }

// Add counts an answer.
func (s *State) Add(r *journal.Record) {
	delete(s.open, r.ID)
	mark := s.rules.Mark(s.header, r)
	if mark.Tag != "" {
		s.failures[string(mark.Tag)]++
	}
	s.tokens += r.Usage.PromptTokens - r.Usage.ReusedTokens + r.Usage.OutputTokens
	s.busy += r.Timing.Total
	s.whole.add(r, mark)
	if subject := s.named[r.Subject]; subject != nil {
		subject.add(r, mark)
	}
}

func (c *counted) add(r *journal.Record, mark grade.Mark) {
	c.Done++
	c.answered++
	if r.Failed() {
		return
	}
	c.Scored++
	if mark.Correct {
		c.Correct++
	}
}

// An Update is a task's progress. Shares are fractions in 0–1; scores and rates are over this session's answers.
type Update struct {
	Kind        string         `json:"kind"` // "progress"
	Task        string         `json:"task"`
	Done        int            `json:"done"`                   // items with an answer, earlier sessions' too
	Total       int            `json:"total"`                  // items, at most where the run stops by itself
	StopsItself bool           `json:"stops_itself,omitempty"` // the end can't be predicted
	Elapsed     stats.Number   `json:"elapsed_seconds"`
	ETA         stats.Number   `json:"eta_seconds,omitzero"`
	Scored      int            `json:"scored"` // with a completion
	Correct     int            `json:"correct"`
	Accuracy    stats.Number   `json:"accuracy,omitzero"`
	CI          stats.Interval `json:"ci,omitzero"`                // of the accuracy, as if items were independent
	Rate        stats.Number   `json:"tokens_per_second,omitzero"` // evaluated and generated, end to end
	Slots       int            `json:"slots,omitempty"`
	Active      stats.Number   `json:"mean_active_slots,omitzero"`
	Failures    map[string]int `json:"failure_counts,omitempty"` // by tag
	Open        int            `json:"open,omitempty"`           // unfinished answers
	Longest     int            `json:"longest_open,omitempty"`   // tokens of the longest of them that are known, up to a minute old
	Subjects    []Part         `json:"subjects,omitempty"`
	Sweep       *Sweep         `json:"sweep,omitempty"` // where the task is a part of one
}

// A Sweep is the progress of the sweep that the task belongs to.
type Sweep struct {
	Candidate string       `json:"candidate"`
	Number    int          `json:"number"` // from 1
	Of        int          `json:"of"`
	ETA       stats.Number `json:"eta_seconds,omitzero"` // for all candidates, at the pace so far; an upper bound where they stop by themselves
}

// A Part is one subject's progress.
type Part struct {
	Subject  string         `json:"subject"`
	Done     int            `json:"done"`
	Total    int            `json:"total"`
	Scored   int            `json:"scored"`
	Correct  int            `json:"correct"`
	Accuracy stats.Number   `json:"accuracy,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`
}

// Over says whether nothing is left to answer.
func (s *State) Over() bool { return s.whole.Done >= s.whole.Total }

// At is the task's progress. Its cost grows with the number of subjects: don't call it for every answer.
func (s *State) At(now time.Time) Update {
	w, answered := s.whole.part(), s.whole.answered
	elapsed := now.Sub(s.began)
	u := Update{Kind: "progress", Task: s.header.Task, Done: w.Done, Total: w.Total, StopsItself: s.header.Selection.StopsItself(),
		Elapsed: stats.Of(elapsed.Seconds()), Scored: w.Scored, Correct: w.Correct, Accuracy: w.Accuracy, CI: w.CI,
		Slots: s.header.Backend.Slots, Failures: maps.Clone(s.failures), Open: len(s.open)}
	for _, tokens := range s.open {
		u.Longest = max(u.Longest, tokens)
	}
	if left := w.Total - w.Done; left > 0 && answered > 0 && !u.StopsItself {
		u.ETA = stats.Of(s.each(elapsed) * float64(left))
	}
	if elapsed > 0 && answered > 0 {
		u.Rate = stats.Of(float64(s.tokens) / elapsed.Seconds())
		if s.busy > 0 {
			u.Active = stats.Of(s.busy.Seconds() / elapsed.Seconds())
		}
	}
	if s.sweep != nil {
		where := s.sweep()
		u.Sweep = &where
	}
	for _, c := range s.subjects {
		u.Subjects = append(u.Subjects, c.part())
	}
	return u
}

// each is the seconds an item takes. Until every slot has answered twice, the unfinished items would be ignored; then the items' own
// time, divided by the slots, is the better estimate.
func (s *State) each(elapsed time.Duration) float64 {
	answered, slots := float64(s.whole.answered), s.header.Backend.Slots
	if slots > 0 && s.busy > 0 && s.whole.answered < 2*slots {
		return min(elapsed.Seconds(), s.busy.Seconds()/float64(slots)) / answered
	}
	return elapsed.Seconds() / answered
}

// part is the items' progress, with their score.
func (c *counted) part() Part {
	p := c.Part
	if p.Scored > 0 {
		p.Accuracy = stats.Ratio(p.Correct, p.Scored)
		p.CI = stats.Proportion(p.Correct, p.Scored, stats.DefaultConfidence).Interval
	}
	return p
}

// A Note is a message to the user, beside updates.
type Note struct {
	Kind string `json:"kind"` // "note"
	Text string `json:"text"`
}
