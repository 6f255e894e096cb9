package dataset_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/errortest"
	"proctor/scripts/tests/sharedtest"
)

// setOf makes a set with so many questions of each subject; ids count from 1 in the order given.
func setOf(counts ...int) *dataset.Set {
	set := &dataset.Set{Name: "made"}
	for i, n := range counts {
		for range n {
			set.Test = append(set.Test, dataset.Question{ID: len(set.Test) + 1, Subject: fmt.Sprintf("subject %c", 'a'+i)})
		}
	}
	return set
}

func TestSelectSharesALimitOutInProportion(t *testing.T) {
	tests := map[string]struct {
		counts, want []int
		limit        int
	}{
		"where it divides":                       {[]int{50, 20, 30}, []int{5, 2, 3}, 10},
		"rounded":                                {[]int{50, 20, 30}, []int{9, 3, 5}, 17},
		"a subject whose share is below a half":  {[]int{50, 2, 30}, []int{13, 0, 7}, 20},
		"fewer than subjects":                    {[]int{5, 9, 7}, []int{0, 1, 1}, 2},
		"everything where the limit is beyond":   {[]int{1, 2, 3}, []int{1, 2, 3}, 100},
		"everything where there is no limit":     {[]int{1, 2, 3}, []int{1, 2, 3}, 0},
		"a large subject beside very small ones": {[]int{1, 1, 40}, []int{0, 0, 20}, 20},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := make([]int, len(test.counts))
			for _, q := range pick(t, setOf(test.counts...), dataset.Selection{Limit: test.limit, Seed: 1}) {
				got[q.Subject[len(q.Subject)-1]-'a']++
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%v questions, want %v", got, test.want)
			}
		})
	}
}

func TestSelectCountsBySubject(t *testing.T) {
	for name, test := range map[string]struct {
		selection dataset.Selection
		want      []int
	}{
		"so many of each subject":                 {dataset.Selection{PerSubject: 5}, []int{5, 2, 5}},
		"a share of each":                         {dataset.Selection{Share: 0.1}, []int{5, 1, 10}},
		"a share that rounding could miss by one": {dataset.Selection{Share: 0.29}, []int{14, 1, 29}},
		"all of it":                               {dataset.Selection{Share: 1}, []int{50, 2, 100}},
		"a share of some subjects":                {dataset.Selection{Share: 0.5, Subjects: []string{"subject c"}}, []int{0, 0, 50}},
	} {
		got := make([]int, 3)
		for _, q := range pick(t, setOf(50, 2, 100), test.selection) {
			got[q.Subject[len(q.Subject)-1]-'a']++
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v questions, want %v", name, got, test.want)
		}
	}
	for _, wrong := range []dataset.Selection{
		{Share: 1.1}, {Share: -0.1}, {Share: 0.1, PerSubject: 3}, {Share: 0.1, Limit: 3}, {PerSubject: 3, Limit: 3},
	} {
		if picked, err := setOf(5, 5).Select(wrong); err == nil {
			t.Errorf("%+v picks %d questions", wrong, len(picked))
		}
	}
}

func TestSelectIsSeeded(t *testing.T) {
	set := setOf(40, 40, 40)
	ids := func(limit int, seed uint64) []int {
		var ids []int
		for _, q := range pick(t, set, dataset.Selection{Limit: limit, Seed: seed}) {
			ids = append(ids, q.ID)
		}
		return ids
	}
	if !slices.Equal(ids(30, 1), ids(30, 1)) {
		t.Error("the same seed picks other questions")
	}
	if slices.Equal(ids(30, 1), ids(30, 2)) {
		t.Error("another seed picks the same questions")
	}
	if !slices.IsSorted(ids(30, 1)) {
		t.Error("the set's order is lost")
	}
	for _, id := range ids(30, 1) {
		if !slices.Contains(ids(60, 1), id) {
			t.Errorf("question %d is in 30 but not in 60", id)
		}
	}
	slices.Reverse(set.Test)
	reversed := ids(30, 1)
	slices.Sort(reversed)
	slices.Reverse(set.Test)
	if !slices.Equal(reversed, ids(30, 1)) {
		t.Error("the file's order changes the pick")
	}
}

func TestSelectFirstTakesTheFileOrder(t *testing.T) {
	got := pick(t, setOf(3, 3), dataset.Selection{Limit: 4, First: true, Seed: 9})
	if len(got) != 4 || got[0].ID != 1 || got[3].ID != 4 {
		t.Errorf("%v", got)
	}
}

func TestSelectFirstOfEachSubjectTakesTheFileOrder(t *testing.T) {
	for _, c := range []struct {
		selection dataset.Selection
		want      []int
	}{
		{dataset.Selection{PerSubject: 2, First: true, Seed: 9}, []int{1, 2, 5, 6, 8}},
		{dataset.Selection{Share: 0.5, First: true, Seed: 9}, []int{1, 2, 5, 8}},
	} {
		var ids []int
		for _, q := range pick(t, setOf(4, 3, 1), c.selection) {
			ids = append(ids, q.ID)
		}
		if !slices.Equal(ids, c.want) {
			t.Errorf("%+v picks %v, want %v", c.selection, ids, c.want)
		}
	}
}

func TestSelectSubjectsAsPeopleTypeThem(t *testing.T) {
	set := setOf(2, 3, 4)
	if got := pick(t, set, dataset.Selection{Subjects: []string{"Subject_B", "subject c"}}); len(got) != 7 {
		t.Errorf("%d questions, want 7", len(got))
	}
	_, err := set.Select(dataset.Selection{Subjects: []string{"alchemy"}})
	errortest.Says(t, err, `unknown subject "alchemy"; made has: subject a, subject b, subject c`)
	if _, err := set.Select(dataset.Selection{Limit: -1}); err == nil {
		t.Error("a negative limit passes")
	}
}

func TestShotsAreTheFirstOfTheSubject(t *testing.T) {
	set := setOf(0)
	set.Validation = setOf(3, 5).Test
	shots, err := set.Shots("subject b", 2)
	if err != nil || len(shots) != 2 || shots[0].ID != 4 || shots[1].ID != 5 {
		t.Errorf("%v, %v", shots, err)
	}
	if shots, err := set.Shots("subject z", 0); err != nil || len(shots) != 0 {
		t.Errorf("no shots: %v, %v", shots, err)
	}
	_, err = set.Shots("subject a", 5)
	errortest.Says(t, err, `has 3 validation questions for subject "subject a", 5 shots need 5`)
}

func TestWithoutFillerMovesTheGoldLetter(t *testing.T) {
	tests := map[string]struct {
		options []string
		answer  string
		want    string
	}{
		"nothing to drop":              {[]string{"a", "b"}, "B", "[a b] B 1"},
		"filler at the end":            {[]string{"a", "b", "N/A", "N/A"}, "B", "[a b] B 1"},
		"filler before the gold":       {[]string{"a", "N/A", "c"}, "C", "[a c] B 1"},
		"a gold that reads like it":    {[]string{"N/A", "b", "N/A"}, "C", "[b N/A] B 1"},
		"text that merely contains it": {[]string{"N/A ", "b"}, "B", "[N/A  b] B 1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			q := dataset.Question{Options: test.options, Answer: test.answer}
			q.AnswerIndex = q.Gold()
			before := slices.Clone(test.options)
			q = q.WithoutFiller()
			if got := fmt.Sprintf("%v %s %d", q.Options, q.Answer, q.AnswerIndex); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if !slices.Equal(before, test.options) {
				t.Error("the original was changed")
			}
		})
	}
}

func pick(t *testing.T, set *dataset.Set, sel dataset.Selection) []dataset.Question {
	t.Helper()
	questions, err := set.Select(sel)
	if err != nil {
		t.Fatal(err)
	}
	return questions
}

func TestALimitOfThePublishedSetHasEachSubjectsShare(t *testing.T) {
	set := published(t)
	all, counts := map[string]int{}, map[string]int{}
	for _, q := range set.Test {
		all[q.Subject]++
	}
	for _, q := range pick(t, set, dataset.Selection{Limit: 700, Seed: 1}) {
		counts[q.Subject]++
	}
	for _, subject := range subjects {
		if share := 700 * float64(all[subject]) / float64(len(set.Test)); math.Abs(float64(counts[subject])-share) >= 1 {
			t.Errorf("%s: %d questions, its share is %.2f", subject, counts[subject], share)
		}
	}
}

// publishedFolder is where the published set lies on machines that have it: beside the repository.
func publishedFolder(tb testing.TB) string {
	return sharedtest.Path(tb, "data/mmlu-pro")
}

func published(t *testing.T) *dataset.Set {
	t.Helper()
	return openFile(t, publishedFolder(t))
}
