package samplesize

import (
	"proctor/prompts/dataset"
)

// Draw says how many questions of a task to ask, of which the selection draws some.
func (a Aim) Draw(set *dataset.Set, selection dataset.Selection) (Size, error) {
	all := selection
	all.Limit, all.PerSubject, all.Share, all.First = 0, 0, 0, false
	questions, err := set.Select(all)
	if err != nil {
		return Size{}, err
	}
	limit := selection.Limit
	if selection.BySubject() {
		asked, err := set.Select(selection)
		if err != nil {
			return Size{}, err
		}
		limit = len(asked)
	}
	return a.Size(len(questions), limit)
}
