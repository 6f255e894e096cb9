package items_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/report/items"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

func TestAFilterTakesTheItemsThatItSays(t *testing.T) {
	run := exam(t)
	for _, row := range []struct {
		items.Filter
		want string
	}{
		{items.Filter{Tags: []string{"NO_ANSWER"}}, "104"},
		{items.Filter{Tags: []string{"wrong_answer"}}, "105 108"},
		{items.Filter{Tags: []string{"WRONG_ANSWER", "timeout"}}, "102 105 108"},
		{items.Filter{Tags: []string{"LENGTH"}, Subjects: []string{"bio"}}, ""},
		{items.Filter{Tags: []string{items.Contradictory, items.WeakestRule}}, ""},
		{items.Filter{Subjects: []string{"bio"}}, "100 103 106"},
		{items.Filter{IDs: []string{"102"}}, "102"},
		{items.Filter{IDs: []string{"mmlu_pro/102", "104"}}, "104 102"},
		{items.Filter{IDs: []string{"105"}, Subjects: []string{"math"}}, "105"},
	} {
		var got []string
		for item, err := range open(t, items.Options{Filter: row.Filter}, run).Rows() {
			assert.NilError(t, err)
			got = append(got, strings.TrimPrefix(item.ID, "mmlu_pro/"))
		}
		assert.Check(t, strings.Join(got, " ") == row.want, "%v: %s; want %s", row.Filter, strings.Join(got, " "), row.want)
	}
}

func TestABadFilterNamesWhatThereIs(t *testing.T) {
	for want, filter := range map[string]items.Filter{
		"--tag WRONG: there are WRONG_ANSWER, NO_ANSWER, ADAPTER_ERROR, HARNESS_ERROR, LENGTH, LOOP, EMPTY, NO_LETTER, " +
			"STOP, ": {
			Tags: []string{"WRONG"}},
		`--subject alch: unknown subject "alch"; there are biology, law, math`:                      {Subjects: []string{"alch"}},
		`--ids 99: there is no item "99"; the nearest are mmlu_pro/100, mmlu_pro/101, mmlu_pro/102`: {IDs: []string{"99"}},
	} {
		_, err := items.Open([]string{exam(t)}, items.Options{Filter: filter})
		errortest.For(t, want, err, want)
	}
}
