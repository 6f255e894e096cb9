package ask

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/prompts"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
)

// mostPrompt is how many bytes a prompt may have: a million tokens of English. Longer ones are no item's that a model could answer, and
// would be tokenised for minutes, with gigabytes.
const mostPrompt = 4 << 20

// oversize says whether an item's prompt is too long to be asked at all.
func oversize(item *prompts.Item) bool { return len(item.Preamble)+len(item.Text) > mostPrompt }

// refuse keeps the items of a batch that are not asked, each as a failure, and returns the others. Their texts are left out.
func (a *asking) refuse(items batch) (batch, error) {
	for _, i := range items {
		item := &a.Items[i]
		if !oversize(item) {
			continue
		}
		a.flights[item.ID] = &flight{item: i, began: a.clock.now()}
		record, err := a.join(&backends.Completion{
			ID: item.ID, Finish: backends.FinishError, Cause: backends.CauseOversize,
			Error: fmt.Sprintf("the prompt has %s, which is more than %s: it is not asked, nor kept here",
				format.Size(int64(len(item.Preamble)+len(item.Text)), ""), format.Size(mostPrompt, "")),
		})
		if err != nil {
			return nil, err
		}
		record.Prompt, record.OptionTexts = "", nil
		if err := a.keep(record); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(items, func(i int) bool { return oversize(&a.Items[i]) }), nil
}

// mostError is how many bytes of an error are kept of an item whose texts are not.
const mostError = 1000

// unkept is a record whose line no reader would take, without its texts: a failure that asking again does not change, unless it was
// another failure before.
func unkept(r journal.Record, why *journal.OversizeError) journal.Record {
	r.Prompt, r.Text, r.Question, r.OptionTexts, r.Logprobs, r.LetterLogprobs = "", "", "", nil, nil, nil
	if r.Failed() {
		r.Error = strings.ToValidUTF8(r.Error[:min(len(r.Error), mostError)], "")
		return r
	}
	r.Finish, r.Cause, r.Error, r.AtAnswer = backends.FinishError, backends.CauseOversize, why.Error()+": its texts are not kept", false
	return r
}
