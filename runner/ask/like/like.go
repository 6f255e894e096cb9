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
	of := func(flag string, apply func() string) {
		if flags[flag] == nil {
			if value := apply(); value != "" {
				flags[flag] = []string{value}
			}
		}
	}
	draw := *began
	if named {
		draw.Subjects = nil
	}
	if len(draw.Chosen) > 0 {
		of("ids", func() string {
			selection.Chosen, selection.Subjects = draw.Chosen, draw.Subjects
			return strings.Join(draw.Chosen, ",")
		})
		return nil
	}
	of("subjects", func() string {
		selection.Subjects = draw.Subjects
		return strings.Join(draw.Subjects, ",")
	})
	of("seed", func() string {
		selection.Seed = draw.Seed
		return strconv.FormatUint(draw.Seed, 10)
	})
	there, err := set.Select(dataset.Selection{Subjects: selection.Subjects})
	if err != nil {
		return err
	}
	of("limit", func() string {
		if selection.Limit = limitLike(&draw, asked); selection.Limit >= len(there) {
			selection.Limit = 0
			return ""
		}
		return strconv.Itoa(selection.Limit)
	})
	if selection.Limit > 0 && draw.First {
		of("first", func() string {
			selection.First = true
			return "true"
		})
	}
	return nil
}

// limitLike is how many questions a run was to ask, or did ask where it stopped because that was enough.
func limitLike(s *journal.Selection, asked int) int {
	if s.StopsItself() {
		return asked
	}
	return max(s.Questions, asked)
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
