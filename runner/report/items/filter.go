package items

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts/task"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
)

// A Filter chooses items: those with any of the tags, in any of the subjects and with any of the ids. An empty list
// takes all.
type Filter struct {
	Tags     []string // failure tags, causes and [Signs]
	Subjects []string // or their beginnings
	IDs      []string // of items or of questions
}

// The signs that a filter takes beside tags and causes.
const (
	Contradictory = "contradictory" // the completion has "answer is (X)" with two letters
	WeakestRule   = "weakest-rule"  // the rule set's last rule found the answer, which takes what all others left
)

// TagNames are what a filter takes as tags.
func TagNames() []string {
	var all []string
	for _, tag := range grade.Tags {
		all = append(all, string(tag))
	}
	for _, cause := range backends.Causes {
		all = append(all, string(cause))
	}
	return append(all, Contradictory, WeakestRule)
}

// of returns the filter for the items of some runs. Its errors name what there is.
func (f Filter) of(runs []run) (takes func(*run, results.Answer) bool, err error) {
	tags, subjects := make([]string, len(f.Tags)), make([]string, len(f.Subjects))
	for i, given := range f.Tags {
		all := TagNames()
		at := slices.IndexFunc(all, func(name string) bool { return strings.EqualFold(name, given) })
		if at < 0 {
			return nil, fmt.Errorf("%s: there are %s", setting.Tag.As(given), strings.Join(all, ", "))
		}
		tags[i] = all[at]
	}
	have := map[string]bool{}
	for _, r := range runs {
		for _, it := range r.Items {
			have[it.Subject] = true
		}
	}
	all := slices.Sorted(maps.Keys(have))
	for i, given := range f.Subjects {
		if subjects[i], err = task.Subject(given, all); err != nil {
			return nil, fmt.Errorf("%s: %w; there are %s", setting.Subject.As(given), err, strings.Join(all, ", "))
		}
	}
	for _, id := range f.IDs {
		has := func(it *results.Item) bool { return hasID(it, id) }
		if !slices.ContainsFunc(runs, func(r run) bool { return slices.ContainsFunc(r.Items, has) }) {
			return nil, fmt.Errorf("%s: %w", setting.IDs.As(id), unknown(id, runs))
		}
	}
	return func(r *run, a results.Answer) bool {
		tagged := func(tag string) bool {
			switch tag {
			case Contradictory:
				return a.Answered() && a.Signs.Contradicts
			case WeakestRule:
				return a.Answered() && a.Rule == r.RuleSets[0].Weakest()
			}
			return tag == string(a.Tag) || tag == string(a.Mark.Cause)
		}
		return (len(tags) == 0 || slices.ContainsFunc(tags, tagged)) &&
			(len(subjects) == 0 || slices.Contains(subjects, a.Subject)) &&
			(len(f.IDs) == 0 || slices.ContainsFunc(f.IDs, func(id string) bool { return hasID(a.Item, id) }))
	}, nil
}

func hasID(it *results.Item, id string) bool {
	return it.ID == id || short(it.ID) == id || strconv.Itoa(it.QuestionID) == id
}
