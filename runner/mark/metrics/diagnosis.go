package metrics

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/validity"
)

// diagnose says of each failure that is more than the model's ignorance how many items have it, which for example, and what to do
// about it: of one without an answer, or with a cause, where it is frequent; of an error, always. A wrong answer says nothing,
// the token cap and loops have warnings of their own, and of an error whose cause is explained that is said alone.
func (r *Summary) diagnose(run *results.Run) {
	v := run.View(0)
	for _, e := range grade.Explanations() {
		switch e.Name {
		case string(grade.WrongAnswer), string(backends.CauseLength), string(backends.CauseLoop), string(backends.CauseNoLetter):
			continue
		}
		failed, causes := v.Where(func(it *results.Item) bool {
			m := v.Of(it).Mark
			return string(m.Cause) == e.Name || string(m.Tag) == e.Name && (grade.Explain(string(m.Cause)).Name == "" || !m.Tag.IsError())
		}), map[string]int{}
		for a := range failed.Answers() {
			said := []string{"", e.Name, string(backends.CauseNoLetter), string(backends.CauseLength)} // the remedy counts what the cap ended
			if cause := string(a.Mark.Cause); !slices.Contains(said, cause) {
				causes[cause]++
			}
		}
		n := len(failed.Items)
		share := stats.Ratio(n, r.Items)
		if n == 0 || share.Or(0) <= frequent && !v.Of(failed.Items[0]).Tag.IsError() {
			continue
		}
		remedy := e.Remedy
		if e.Name == string(grade.NoAnswer) {
			remedy = validity.Advice(run, failed)
		}
		text := fmt.Sprintf("%s on %s (%s)", grade.InWords(e.Name), format.Several(n, "item"), format.Percent(share))
		for _, cause := range slices.Sorted(maps.Keys(causes)) {
			text += fmt.Sprintf(", %s of them %s", format.Count(causes[cause]), grade.InWords(cause))
		}
		r.warn(AboutFailures, fmt.Sprintf("%s, such as %s: %s; %s", text, strings.Join(Examples(failed.Items), ", "), e.Means, remedy))
	}
}

// Examples are the ids of up to three items, from the first to the last of them.
func Examples(items []*results.Item) []string {
	if len(items) > 3 {
		items = []*results.Item{items[0], items[len(items)/2], items[len(items)-1]}
	}
	ids := make([]string, len(items))
	for i, it := range items {
		ids[i] = it.ID
	}
	return ids
}
