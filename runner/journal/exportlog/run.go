package exportlog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/prompts/task"
	"proctor/runner/journal"
)

// A Marker marks a run's records by one rule set: the part of a text that is marked, without thinking where the run leaves it out, the
// letter that was found in it, empty for none, and whether that is the gold one.
type Marker func(h *journal.Header, r *journal.Record) (completion, letter string, correct bool)

// A Run is the exported part of a run.
type Run struct {
	Header   journal.Header
	Subjects []Subject // in their names' order, none of them empty
	Notes    []string  // what was left out, a sentence each
}

// A Subject is the items of one subject, in ascending order of their questions.
type Subject struct {
	Name  string
	Items []Item
}

// An Item is a question with its completion and its mark.
type Item struct {
	ID       int    // the question's
	Variant  string // the letter of the option asked about; empty for a whole question
	Question string
	Options  []string

	OptionsOriginal int // of the question that a true-or-false item came from, else 0
	Gold            string
	Prompt          string // whole; empty where the run was imported from a log without prompts
	Text            string // the completion, without thinking where the run leaves it out
	Letter          string // empty for no answer
	Correct         bool
	Finish          backends.Finish
	Usage           backends.Usage
}

// Items counts the exported items.
func (r *Run) Items() (n int) {
	for _, s := range r.Subjects {
		n += len(s.Items)
	}
	return n
}

// ruleSets are the rule sets by which logs count answers, by task, except for a style whose answers are words. Runs of other tasks
// can't be exported.
var ruleSets = map[string]string{task.All[0].Name: "lm-eval", task.All[1].Name: "binary"}

// Open reads a run, given as its folder or its journal; marks finds the marker of the rule set that the log counts by.
func Open(run string, marks func(ruleSet string) (Marker, error)) (*Run, error) {
	reader, err := journal.Open(run)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	h := &reader.Header
	rules, writable := ruleSets[h.Task]
	if !writable {
		return nil, fmt.Errorf("%s: is of task %s: lm-eval's samples are of mmlu_pro and mmlu_pro_binary, with generated answers", run, h.Task)
	}
	if strings.HasPrefix(h.Style, task.StyleOfMax+"@") {
		rules = task.StyleOfMax
	}
	marker, err := marks(rules)
	if err != nil {
		return nil, err
	}
	latest := map[string]journal.Record{}
	for record, err := range reader.Records() {
		if err != nil {
			return nil, err
		}
		latest[record.ID] = record
	}
	out := &Run{Header: *h, Notes: reader.Warnings()}
	if err := out.gather(run, latest, marker); err != nil {
		return nil, err
	}
	return out, nil
}

// gather takes the records that can be written, by subject and question.
func (r *Run) gather(run string, records map[string]journal.Record, marks Marker) error {
	var failed, repeated, refused, unread int
	bySubject := map[string][]Item{}
	for id, record := range records {
		switch {
		case record.Failed():
			failed++
			continue
		case record.Repeat > 1:
			repeated++
			continue
		case len(record.OptionTexts) == 0:
			return fmt.Errorf("%s: %s has no option texts, since an older version wrote the journal: it can't be exported", run, id)
		}
		item := Item{ID: record.QuestionID, Variant: record.Variant, Options: record.OptionTexts, OptionsOriginal: record.OptionsOriginal,
			Gold: record.Gold, Finish: record.Finish, Usage: record.Usage}
		item.Text, item.Letter, item.Correct = marks(&r.Header, &record)
		preamble := r.Header.Preambles[record.Subject]
		if record.Prompt != "" {
			item.Prompt = preamble + record.Prompt
		}
		var found bool
		if item.Question, found = record.QuestionText(preamble); !found {
			unread++
		}
		if record.Cause == backends.CauseRefused {
			item.Text = ""
			refused++
		}
		bySubject[record.Subject] = append(bySubject[record.Subject], item)
	}
	for name, items := range bySubject {
		slices.SortFunc(items, func(a, b Item) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Variant, b.Variant)) })
		r.Subjects = append(r.Subjects, Subject{name, items})
	}
	slices.SortFunc(r.Subjects, func(a, b Subject) int { return cmp.Compare(a.Name, b.Name) })
	r.note(failed, "failed and %s left out: they count nowhere")
	r.note(repeated, "asked an item again and %s left out: a log has a completion a question")
	r.note(refused, "refused to answer and %s written as an empty text: a letter in a refusal is not an answer")
	r.note(unread, "can't be separated from the rest of the prompt, and %s written with the whole prompt for a question")
	if len(r.Subjects) == 0 {
		return errors.New(run + ": there is no item with a completion to write")
	}
	return nil
}

// note adds a sentence about n items; %s in it becomes is or are.
func (r *Run) note(n int, what string) {
	switch n {
	case 0:
	case 1:
		r.Notes = append(r.Notes, "1 item "+fmt.Sprintf(what, "is"))
	default:
		r.Notes = append(r.Notes, fmt.Sprintf("%d items "+what, n, "are"))
	}
}
