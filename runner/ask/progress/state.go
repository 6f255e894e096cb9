// Package progress counts a task's answers as they come, and says in a line how far it is. It is given each record once
// it is in the journal, and knows no clock and no terminal.
package progress

import (
	"fmt"
	"strings"
	"time"

	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/stats"
)

// Counts are the numbers of a task's items, all sessions together.
type Counts struct {
	Items  int // at most, where the run stops by itself
	Done   int // have an answer, or a failure that is not asked again
	Scored int // of those done, without failures
	Correct,
	Errors int
}

// A State counts the answers of a task as they come.
type State struct {
	Counts
	place    string // of the task in a sweep, as in [2/4 Q8_0]; empty for none
	header   *journal.Header
	rules    grade.RuleSet
	began    time.Time
	answered int // in this session
	tokens   int // evaluated or generated
	busy     time.Duration
	open     map[string]int // tokens of unfinished answers, where known, by the item's id
}

// New begins to count a task's answers, by the rules of its run, from what earlier sessions have.
func New(header *journal.Header, from Counts, place string, now time.Time) *State {
	rules, _ := grade.Own(header)
	return &State{Counts: from, place: place, header: header, rules: rules, began: now, open: map[string]int{}}
}

// Open counts an unfinished answer, with its number of tokens.
func (s *State) Open(id string, tokens int) { s.open[id] = tokens }

// Add counts an answer.
func (s *State) Add(r *journal.Record) {
	delete(s.open, r.ID)
	s.tokens += r.Usage.PromptTokens - r.Usage.ReusedTokens + r.Usage.OutputTokens
	s.busy += r.Timing.Total
	s.answered++
	s.Counts.Add(s.rules.Mark(s.header, r), r.Failed())
}

// Add counts an answer by its mark.
func (c *Counts) Add(mark grade.Mark, failed bool) {
	c.Done++
	switch {
	case failed:
		c.Errors++
		return
	case mark.Correct:
		c.Correct++
	}
	c.Scored++
}

// Over says whether nothing is left to answer.
func (s *State) Over() bool { return s.Done >= s.Items }

// Line is the whole state in one line: done/total, ETA, accuracy so far with its interval, tokens per second.
func (s *State) Line(now time.Time) string {
	of := "/"
	if s.header.Selection.StopsItself() {
		of = " of up to "
	}
	name := s.header.Task // such as mmlu_pro_binary; of a set of one's own quiz_binary
	if set := s.header.Dataset; set.Published == "" && set.Name != task.Sample {
		name = strings.Replace(name, task.All[0].Name, set.Name, 1)
	}
	parts := []string{s.place + fmt.Sprint(name, " ", s.Done, of, s.Items)}
	elapsed := now.Sub(s.began)
	if left := s.Items - s.Done; left > 0 && s.answered > 0 && !s.header.Selection.StopsItself() {
		// Until every slot has answered twice, the unfinished items would be ignored; then the items' own time, divided by
		// the slots, is the better estimate.
		took := elapsed.Seconds()
		if slots := s.header.Backend.Slots; slots > 0 && s.busy > 0 && s.answered < 2*slots {
			took = min(took, s.busy.Seconds()/float64(slots))
		}
		parts = append(parts, ETA(took/float64(s.answered)*float64(left)))
	}
	if s.Scored > 0 {
		interval := stats.Proportion(s.Correct, s.Scored, stats.DefaultConfidence).Interval
		parts = append(parts, fmt.Sprintf("accuracy %s (%s)", format.Percent(stats.Ratio(s.Correct, s.Scored)),
			format.Bounds(interval)))
	}
	if s.Errors > 0 {
		parts = append(parts, fmt.Sprintf("errors %d", s.Errors))
	}
	if elapsed > 0 && s.answered > 0 {
		parts = append(parts, format.Decimal(stats.Of(float64(s.tokens)/elapsed.Seconds()), 1, 0, " tokens/s"))
	}
	longest := 0
	for _, tokens := range s.open {
		longest = max(longest, tokens)
	}
	if longest > 0 {
		parts = append(parts, fmt.Sprintf("%s open, the longest at %s", format.Several(len(s.open), "answer"),
			format.Several(longest, "token")))
	}
	return strings.Join(parts, "  ")
}

// ETA formats the seconds left.
func ETA(seconds float64) string {
	return "ETA " + time.Duration(seconds*float64(time.Second)).Round(time.Second).String()
}
