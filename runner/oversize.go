package runner

import (
	"fmt"
	"slices"
	"time"

	"proctor/backends"
	"proctor/prompts"
	"proctor/runner/words"
)

// mostPrompt is how many bytes a prompt may have: a million tokens of English. Longer ones are no item's that a model could answer, and
// would be tokenised for minutes, with gigabytes.
const mostPrompt = 4 << 20

// oversize says whether an item's prompt is too long to be asked at all.
func oversize(item *prompts.Item) bool { return len(item.Preamble)+len(item.Text) > mostPrompt }

// refuse keeps the items of a batch that are not asked, each as a failure, and returns the others. Their prompts are left out.
func (a *asking) refuse(items batch) (batch, error) {
	for _, i := range items {
		item := &a.Items[i]
		if !oversize(item) {
			continue
		}
		a.flights[item.ID] = &flight{item: i, began: time.Now()}
		record, err := a.join(&backends.Completion{
			ID: item.ID, Finish: backends.FinishError, Cause: backends.CauseTruncated,
			Error: fmt.Sprintf("the prompt has %s, which is more than %s: it is not asked, nor kept here",
				words.Size(int64(len(item.Preamble)+len(item.Text)), ""), words.Size(mostPrompt, "")),
		})
		if err != nil {
			return nil, err
		}
		record.Prompt = ""
		if err := a.keep(record); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(items, func(i int) bool { return oversize(&a.Items[i]) }), nil
}
