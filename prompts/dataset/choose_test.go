package dataset_test

import (
	"slices"
	"testing"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/errortest"
)

func TestChosenQuestionsAreAskedAndNoOthers(t *testing.T) {
	set := setOf(5, 5, 5) // ids 1 to 5, 6 to 10, 11 to 15
	for name, test := range map[string]struct {
		selection dataset.Selection
		want      []int
	}{
		"by id, in the set's order": {dataset.Selection{Chosen: []string{"12", "3", "3"}}, []int{3, 12}},
		"by places":                 {dataset.Selection{Chosen: []string{"subject_b:2-3", "subject c:5"}}, []int{7, 8, 15}},
		"beside a whole subject":    {dataset.Selection{Chosen: []string{"subject_b:1"}, Subjects: []string{"subject c"}}, []int{6, 11, 12, 13, 14, 15}},
	} {
		var ids []int
		for _, q := range pick(t, set, test.selection) {
			ids = append(ids, q.ID)
		}
		if !slices.Equal(ids, test.want) {
			t.Errorf("%s: %v, want %v", name, ids, test.want)
		}
	}
	for says, selection := range map[string]dataset.Selection{
		"made: there is no question 16: it has 15, with ids from 1 to 15": {Chosen: []string{"1", "16"}},
		"made: it has 5 questions of subject b, and 6 is beyond them":     {Chosen: []string{"subject b:1-6"}},
		`unknown subject "alchemy"`:                                       {Chosen: []string{"alchemy:1"}},
		"questions that are chosen are all asked, and no limit goes with": {Chosen: []string{"1"}, Limit: 3},
		`"x" is not a question id`:                                        {Chosen: []string{"x"}},
	} {
		_, err := set.Select(selection)
		errortest.Says(t, err, says)
	}
}
