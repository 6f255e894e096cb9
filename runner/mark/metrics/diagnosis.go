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
)

// diagnose says of each failure that is more than the model's ignorance how many items have it, which for example, and what to do
// about it: of one without an answer, or with a cause, where it is frequent; of an error, always. A wrong answer says nothing,
// the token cap has a warning of its own, and of an error whose cause is explained that is said alone.
func (r *Summary) diagnose(v results.View, own grade.RuleSet) {
	for _, e := range grade.Explanations() {
		switch e.Name {
		case string(grade.WrongAnswer), string(backends.CauseLength):
			continue
		}
		failed, causes := v.Where(func(it *results.Item) bool {
			m := v.Of(it).Mark
			return string(m.Cause) == e.Name || string(m.Tag) == e.Name && (grade.Explain(string(m.Cause)).Name == "" || !m.Tag.IsError())
		}), map[string]int{}
		for a := range failed.Answers() {
			if cause := string(a.Mark.Cause); cause != "" && cause != e.Name {
				causes[cause]++
			}
		}
		n := len(failed.Items)
		share := stats.Ratio(n, r.Items)
		if n == 0 || share.Or(0) <= frequent && !v.Of(failed.Items[0]).Tag.IsError() {
			continue
		}
		text := fmt.Sprintf("%s on %s (%s)", grade.InWords(e.Name), format.Several(n, "item"), format.Percent(share))
		for _, cause := range slices.Sorted(maps.Keys(causes)) {
			text += fmt.Sprintf(", %s of them %s", format.Count(causes[cause]), grade.InWords(cause))
		}
		r.warn(AboutFailures, fmt.Sprintf("%s, such as %s: %s; %s", text, strings.Join(examples(failed.Items), ", "), e.Means, r.remedy(e, own, causes)))
	}
}

// remedy is what to do about a failure, given the causes of the items that have it.
func (r *Summary) remedy(e grade.Explanation, own grade.RuleSet, causes map[string]int) string {
	if e.Name != string(grade.NoAnswer) {
		return e.Remedy
	}
	asked := grade.Asked{Style: r.Run.Style, System: r.Run.System != "", Raw: r.Run.PromptMode == "" || r.Run.PromptMode == rawPrompts}
	return own.Remedy(asked, causes[string(backends.CauseLength)] > 0)
}

// rawPrompts is the prompt mode of a header whose prompts no chat template was applied to.
const rawPrompts = "raw"

// examples are the ids of up to three items, from the first to the last of them.
func examples(items []*results.Item) []string {
	if len(items) > 3 {
		items = []*results.Item{items[0], items[len(items)/2], items[len(items)-1]}
	}
	ids := make([]string, len(items))
	for i, it := range items {
		ids[i] = it.ID
	}
	return ids
}
