package items

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
)

// mostIDs is how many ids an error names at most.
const mostIDs = 8

// find returns the item with an id, or all items of the question with an id. Ids may lack their task, or be a beginning that fits one
// question only.
func (r *run) find(id string) ([]*results.Item, error) {
	var exact, question, begins []*results.Item
	for _, it := range r.Items {
		switch {
		case it.ID == id || short(it.ID) == id:
			exact = append(exact, it)
		case strconv.Itoa(it.QuestionID) == id || strings.HasPrefix(it.ID, id+"/") || strings.HasPrefix(short(it.ID), id+"/"):
			question = append(question, it)
		case id != "" && (strings.HasPrefix(it.ID, id) || strings.HasPrefix(short(it.ID), id)):
			begins = append(begins, it)
		}
	}
	switch {
	case len(exact) > 0:
		return exact[:1], nil
	case len(question) > 0:
		return question, nil
	case len(begins) == 0:
		return nil, unknown(id, []run{*r})
	}
	if slices.ContainsFunc(begins, func(it *results.Item) bool { return it.QuestionID != begins[0].QuestionID }) {
		questions := slices.CompactFunc(begins, func(a, b *results.Item) bool { return a.QuestionID == b.QuestionID })
		return nil, fmt.Errorf("%q could be %s", id, named(questions))
	}
	return begins, nil
}

// named lists items for people, at most mostIDs of them.
func named(items []*results.Item) string {
	ids := format.List(items[:min(mostIDs, len(items))], func(it *results.Item) string { return it.ID })
	if more := len(items) - mostIDs; more > 0 {
		return fmt.Sprintf("%s and %d more", ids, more)
	}
	return ids
}

// unknown is the error for an id that no item has; it names the nearest ones.
func unknown(id string, runs []run) error {
	first := map[int]*results.Item{} // of each question
	for _, r := range runs {
		for _, it := range r.Items {
			if first[it.QuestionID] == nil {
				first[it.QuestionID] = it
			}
		}
	}
	number, what := numberIn(id), "there are such as"
	distance := func(it *results.Item) int { return it.QuestionID }
	if number >= 0 {
		what = "the nearest are"
		distance = func(it *results.Item) int { return max(it.QuestionID-number, number-it.QuestionID) }
	}
	near := slices.SortedFunc(maps.Values(first), func(a, b *results.Item) int {
		return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(a.ID, b.ID))
	})
	if len(near) == 0 {
		return fmt.Errorf("there is no item %q: the run has none", id)
	}
	return fmt.Errorf("there is no item %q; %s %s", id, what, named(near[:min(3, len(near))]))
}

// numberIn is the question's number in an id, -1 if there is none.
func numberIn(id string) int {
	for part := range strings.FieldsFuncSeq(id, func(r rune) bool { return r == '/' || r == '#' }) {
		if n, err := strconv.Atoi(part); err == nil && n >= 0 {
			return n
		}
	}
	return -1
}
