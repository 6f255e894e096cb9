package pairs

import (
	"errors"

	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/mark/results"
)

// contents yields each item with an id of its content: a checksum of the question and its options, numbered where several items ask
// the same. Where the journal does not have the question, the id is unique to the run.
func (r *Run) contents(yield func(it *results.Item, content string)) error {
	reader, err := journal.Open(r.Path)
	if err != nil {
		return err
	}
	defer reader.Close()
	count := map[string]int{}
	for _, it := range r.Marked.Items {
		record, err := reader.At(it.Place)
		if err != nil {
			return err
		}
		content := r.Path + it.ID
		if question, found := record.QuestionText(reader.Header.Preambles[it.Subject]); found {
			content = task.Checksum(0, question, record.OptionTexts) + it.Variant
		}
		count[content]++
		yield(it, journal.RepeatID(content, count[content]))
	}
	return nil
}

// match gives the run's items the ids that the first run's have for the same questions and options, where the runs' sets differ:
// another harness names and numbers them in its own way. Where the runs have no question in common, the ids stay.
func (r *Run) match(first *Run) error {
	if r.Marked.Header.Dataset.SHA256 == first.Marked.Header.Dataset.SHA256 {
		return nil
	}
	byContent, same := map[string]*results.Item{}, map[*results.Item]*results.Item{}
	err := errors.Join(first.contents(func(it *results.Item, content string) { byContent[content] = it }),
		r.contents(func(it *results.Item, content string) {
			if other := byContent[content]; other != nil {
				same[it] = other
			}
		}))
	if err != nil || len(same) == 0 {
		return err
	}
	r.matched = true
	for _, it := range r.Marked.Items {
		if other := same[it]; other != nil {
			it.ID, it.QuestionID, it.Subject = other.ID, other.QuestionID, other.Subject
		} else { // the first run may have another item with this id
			it.ID, it.QuestionID = it.ID+" of "+r.Path, -1-it.QuestionID
		}
	}
	return nil
}
