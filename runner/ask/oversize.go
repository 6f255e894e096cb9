package ask

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/runner/ask/prefixes"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
)

// refuse keeps the items of a block that are not asked, each as a failure, and returns the others. Their texts are left out.
func (a *asking) refuse(items []int) ([]int, error) {
	for _, i := range items {
		item := &a.Items[i]
		if !prefixes.Oversize(item) {
			continue
		}
		a.flights[item.ID] = &flight{item: i, began: a.clock.now()}
		record, err := a.join(&backends.Completion{
			ID: item.ID, Finish: backends.FinishError, Cause: backends.CauseOversize,
			Error: fmt.Sprintf("the prompt has %s, which is more than %s: it is not asked, nor kept here",
				format.Size(int64(len(item.Preamble)+len(item.Text)), ""), format.Size(prefixes.MostPrompt, "")),
		})
		if err != nil {
			return nil, err
		}
		record.Prompt, record.OptionTexts = "", nil
		if err := a.keep(record); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(items, func(i int) bool { return prefixes.Oversize(&a.Items[i]) }), nil
}

// mostError is how many bytes of an error are kept of an item whose texts are not.
const mostError = 1000

// unkept is a record whose line no reader would take, without its texts: a failure that asking again does not change, unless it was
// another failure before.
func unkept(r journal.Record, why *journal.OversizeError) journal.Record {
	r.Prompt, r.Text, r.Question, r.OptionTexts, r.Logprobs, r.LetterLogprobs, r.Forks = "", "", "", nil, nil, nil, nil
	if r.Failed() {
		r.Error = strings.ToValidUTF8(r.Error[:min(len(r.Error), mostError)], "")
		return r
	}
	r.Finish, r.Cause, r.Error, r.AtAnswer = backends.FinishError, backends.CauseOversize, why.Error()+": its texts are not kept", false
	return r
}
