// Package like draws questions as another run did, and that run's before any others.
package like

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts/dataset"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
)

// Draw has a selection begin with the questions of a run, of one task or several, and takes that run's limit, seed, subjects and
// way of drawing where flags has none of its own; it adds them there. named says that the tasks name their subjects themselves.
// The notes are for people; there is one at least.
func Draw(run string, set *dataset.Set, selection *dataset.Selection, flags map[string][]string, named bool) (notes []string, err error) {
	began, asked, err := askedBy(run)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no run: give a run's folder or its journal", setting.Like.As(run))
	}
	if err != nil {
		return nil, err
	}
	if err := drawLike(&began.Selection, len(asked), set, selection, flags, named); err != nil {
		return nil, err
	}
	selection.Like = slices.Sorted(maps.Keys(asked))
	drawn, err := set.Select(*selection)
	if err != nil {
		return nil, err
	}
	shared := 0
	for _, question := range drawn {
		if asked[question.ID] {
			shared++
		}
	}
	if shared == 0 && !named {
		return nil, fmt.Errorf("%s: %s has none of that run's questions: give the %s that it was asked from (%s)", setting.Like.As(run), set.Name,
			setting.Data, began.Dataset.Name)
	}
	notes = append(notes, fmt.Sprintf("like %s: %s of its %s, before any others", run, format.Count(shared),
		format.Several(len(asked), "question")))
	if sha := began.Dataset.SHA256; sha != "" && sha != set.SHA256 {
		notes = append(notes, fmt.Sprintf("%s was asked from another file of questions than %s: the same numbers may be other questions",
			run, set.Name))
	}
	return notes, nil
}

// drawLike draws questions as a run did that asked a number of them, unless flags say otherwise; it adds to flags what it takes.
func drawLike(began *journal.Selection, asked int, set *dataset.Set, selection *dataset.Selection, flags map[string][]string,
	named bool) error {
	takes := func(flag, value string) bool {
		if flags[flag] != nil {
			return false
		}
		if value != "" {
			flags[flag] = []string{value}
		}
		return true
	}
	subjects := began.Subjects
	if named {
		subjects = nil
	}
	if len(began.Chosen) > 0 {
		if takes("ids", strings.Join(began.Chosen, ",")) {
			selection.Chosen, selection.Subjects = began.Chosen, subjects
		}
		return nil
	}
	if takes("subjects", strings.Join(subjects, ",")) {
		selection.Subjects = subjects
	}
	if takes("seed", strconv.FormatUint(began.Seed, 10)) {
		selection.Seed = began.Seed
	}
	there, err := set.Select(dataset.Selection{Subjects: selection.Subjects})
	if err != nil {
		return err
	}
	limit := asked
	if !began.StopsItself() { // else that was enough
		limit = max(began.Questions, asked)
	}
	value := strconv.Itoa(limit)
	if limit >= len(there) {
		limit, value = 0, ""
	}
	if takes("limit", value) {
		selection.Limit = limit
	}
	selection.First = selection.First || selection.Limit > 0 && began.First && takes("first", "true")
	return nil
}

// askedBy are the ids that a run asked by then, and how its first task began.
func askedBy(run string) (began journal.Header, asked map[int]bool, err error) {
	journals, err := journal.Under(run)
	if err != nil {
		return began, nil, err
	}
	asked = map[int]bool{}
	for i, path := range journals {
		r, err := journal.Open(path)
		if err != nil {
			return began, nil, err
		}
		if i == 0 {
			began = r.Header
		}
		for record, err := range r.Records() {
			if err != nil {
				r.Close()
				return began, nil, err
			}
			asked[record.QuestionID] = true
		}
		r.Close()
	}
	return began, asked, nil
}
