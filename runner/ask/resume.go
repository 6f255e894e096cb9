package ask

import (
	"fmt"
	"slices"

	"proctor/backends/setting"
	"proctor/prompts/dataset"
	"proctor/runner/ask/budget"
	"proctor/runner/ask/stopping"
	"proctor/runner/journal"
	"proctor/runner/mark/again"
	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
)

// Resumed fits the questions to the run that is resumed in a folder: in its order, with more questions where the same draw is larger,
// and with raise, what the cap cut asked again under a larger one. limit is the flag's text, for messages.
func (q Questions) Resumed(was *journal.Continuation, folder, limit string, raise bool) (*Questions, error) {
	q.was, q.folder = was, folder
	header := &was.Header
	q.header.History = journal.History{header.History.Last()}
	asked := &q.header.History[0]
	asked.Shard = nil // until [Questions.Shard] sets this session's
	q.choice = budget.Choice{Tokens: header.Budgets, Free: true}
	if header.Selection.IDsSHA256 != q.header.Selection.IDsSHA256 {
		limited := setting.Limit.As(limit)
		if header.History.Last().Shard != nil && limit != "" {
			return nil, fmt.Errorf("%s: %s is a shard of a run, whose questions are fixed: leave the flag out, or merge "+
				"the shards and extend that run", limited, folder)
		}
		before := drawing(q.selection, asked.Questions)
		if q.Task.Subject != "" { // which names the subject already
			before.Subjects = nil
		}
		old, err := NewQuestions(q.set, q.eval, before, q.spec)
		if err != nil || old.header.Selection.IDsSHA256 != header.Selection.IDsSHA256 {
			return &q, nil // more than the limit differs, which the journal refuses by name
		}
		if err := q.canExtend(old); err != nil {
			return nil, fmt.Errorf("%s: %w the run in %s asks: a run can be extended, not cut; give a larger limit or none, "+
				"or start a new run", limited, err, folder)
		}
		asked.Questions, q.extends = q.header.Selection.Draw(), old.header.Selection.Questions
	}
	if raise {
		if err := q.canAskAgain(header); err != nil {
			return nil, err
		}
		asked.MaxTokens = q.header.Sampling.MaxTokens
	}
	return &q, q.inOrderOf(append(header.History.Draws(), asked.Questions))
}

// errNotAgain says why a task is not asked again under a larger cap; other tasks of the run may be.
type errNotAgain string

func (why errNotAgain) Error() string { return setting.Again.String() + string(why) }

// drawing is a selection by another number of questions.
func drawing(s dataset.Selection, d journal.Draw) dataset.Selection {
	s.Limit, s.PerSubject, s.Share = d.Limit, d.PerSubject, d.Share
	return s
}

// canExtend says why the questions can't extend another run, as the middle of a sentence.
func (q *Questions) canExtend(old *Questions) error {
	if q.header.Selection.StopsItself() {
		return fmt.Errorf("interim analyses are spread over the %s that", format.Several(old.header.Selection.Questions, "question"))
	}
	drawn := map[string]bool{}
	for _, item := range q.Items {
		drawn[item.ID] = true
	}
	for _, item := range old.Items {
		if !drawn[item.ID] {
			return fmt.Errorf("these %s are not all of the %s that", format.Several(q.header.Selection.Questions, "question"),
				format.Count(old.header.Selection.Questions))
		}
	}
	return nil
}

// inOrderOf puts the questions of each draw before those that later draws add. The new tokens of a prompt depend on the order, so an
// extended run keeps it.
func (q *Questions) inOrderOf(draws []journal.Draw) error {
	if draws = slices.Compact(draws); len(draws) == 1 {
		return nil
	}
	q.blocks = nil
	left := stopping.All(len(q.Items))
	for _, draw := range draws[:len(draws)-1] {
		questions, err := q.set.Select(drawing(q.selection, draw))
		if err != nil {
			return err
		}
		drawn := map[int]bool{}
		for _, question := range questions {
			drawn[question.ID] = true
		}
		var first []int
		for _, i := range left {
			if drawn[q.Items[i].QuestionID] {
				first = append(first, i)
			}
		}
		left = slices.DeleteFunc(left, func(i int) bool { return drawn[q.Items[i].QuestionID] })
		q.blocks = append(q.blocks, first)
	}
	q.blocks = append(q.blocks, left)
	return nil
}

// canAskAgain says why the items that the cap of a run cut can't be asked again under this one. Under the cap that was
// raised last they still can: that resumes.
func (q *Questions) canAskAgain(was *journal.Header) error {
	limit, before := q.header.Sampling.MaxTokens, was.Sampling.MaxTokens
	switch {
	case q.Task.Direct:
		return errNotAgain(fmt.Sprintf(": %s generates nothing that a cap could cut", q.Task))
	case was.Selection.StopsItself():
		return fmt.Errorf("%s: the run's interim analyses decided by its first answers: start a new run with a larger %s", setting.Again,
			setting.MaxTokens)
	case q.extends > 0:
		return fmt.Errorf("%s and a larger %s: ask again first, then extend the run", setting.Again, setting.Limit)
	case limit < before, limit == before && len(was.History.Caps()) == 1:
		return errNotAgain(fmt.Sprintf(" asks under a larger cap than the run's: give %s with more than %d",
			setting.MaxTokens, before))
	}
	return nil
}

// due are the items of the resumed run that are still to be asked again under the present cap.
func (q *Questions) due() ([]*results.Item, error) {
	run, err := results.OpenUnder(q.folder, "")
	if err != nil {
		return nil, err
	}
	run.Header.Sampling.MaxTokens = q.header.Sampling.MaxTokens
	return again.Due(run), nil
}
