package dataset_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/dataset"
	"proctor/scripts/tests/errortest"
)

// setOf makes a set with a number of questions of each subject; ids count from 1 in the order given.
func setOf(counts ...int) *dataset.Set {
	set := &dataset.Set{Name: "made"}
	for i, n := range counts {
		for range n {
			set.Test = append(set.Test, dataset.Question{ID: len(set.Test) + 1, Subject: fmt.Sprintf("subject %c", 'a'+i)})
		}
	}
	return set
}

// pick has the ids of a selection's questions.
func pick(t *testing.T, set *dataset.Set, sel dataset.Selection) (ids []int) {
	t.Helper()
	questions, err := set.Select(sel)
	assert.NilError(t, err)
	for _, q := range questions {
		ids = append(ids, q.ID)
	}
	return ids
}

func TestSelectCountsBySubject(t *testing.T) {
	of := []int{50, 20, 30}
	for name, test := range map[string]struct {
		counts, want []int
		selection    dataset.Selection
	}{
		"a limit that divides":                   {of, []int{5, 2, 3}, dataset.Selection{Limit: 10}},
		"rounded":                                {of, []int{9, 3, 5}, dataset.Selection{Limit: 17}},
		"a subject whose share is below a half":  {[]int{50, 2, 30}, []int{13, 0, 7}, dataset.Selection{Limit: 20}},
		"fewer than subjects":                    {[]int{5, 9, 7}, []int{0, 1, 1}, dataset.Selection{Limit: 2}},
		"everything where the limit is beyond":   {[]int{1, 2, 3}, []int{1, 2, 3}, dataset.Selection{Limit: 100}},
		"everything where there is no limit":     {[]int{1, 2, 3}, []int{1, 2, 3}, dataset.Selection{}},
		"a large subject beside very small ones": {[]int{1, 1, 40}, []int{0, 0, 20}, dataset.Selection{Limit: 20}},

		"so many of each subject":                 {[]int{50, 2, 100}, []int{5, 2, 5}, dataset.Selection{PerSubject: 5}},
		"a share of each":                         {[]int{50, 2, 100}, []int{5, 1, 10}, dataset.Selection{Share: 0.1}},
		"a share that rounding could miss by one": {[]int{50, 2, 100}, []int{14, 1, 29}, dataset.Selection{Share: 0.29}},
		"all of it":                               {of, of, dataset.Selection{Share: 1}},
		"a share of some subjects":                {of, []int{0, 0, 15}, dataset.Selection{Share: 0.5, Subjects: []string{"subject c"}}},
		"subjects as people type them":            {of, []int{0, 20, 30}, dataset.Selection{Subjects: []string{"Subject_B", "subject c"}}},
	} {
		test.selection.Seed = 1
		set, got := setOf(test.counts...), make([]int, len(test.counts))
		for _, id := range pick(t, set, test.selection) {
			got[set.Test[id-1].Subject[len("subject ")]-'a']++
		}
		assert.Check(t, slices.Equal(got, test.want), "%s: %v, want %v", name, got, test.want)
	}
	for _, wrong := range []dataset.Selection{
		{Share: 1.1}, {Share: -0.1}, {Share: 0.1, PerSubject: 3}, {Share: 0.1, Limit: 3}, {PerSubject: 3, Limit: 3}, {Limit: -1},
	} {
		picked, err := setOf(5, 5).Select(wrong)
		assert.Check(t, err != nil, "%+v picks %d questions", wrong, len(picked))
	}
	_, err := setOf(1, 1).Select(dataset.Selection{Subjects: []string{"alchemy"}})
	errortest.Says(t, err, `unknown subject "alchemy"; made has: subject a, subject b`)
}

func TestSelectIsSeeded(t *testing.T) {
	set := setOf(40, 40, 40)
	ids := func(seed uint64) []int { return pick(t, set, dataset.Selection{Limit: 30, Seed: seed}) }
	first := ids(1)
	assert.Check(t, slices.Equal(first, ids(1)), "the same seed picks other questions")
	assert.Check(t, !slices.Equal(first, ids(2)), "another seed picks the same questions")
	assert.Check(t, slices.IsSorted(first), "the set's order is lost")
	slices.Reverse(set.Test)
	reversed := ids(1)
	slices.Sort(reversed)
	assert.Check(t, slices.Equal(reversed, first), "the file's order changes the pick")
}

func TestWhatIsSelectedKeepsTheFilesOrder(t *testing.T) {
	for name, test := range map[string]struct {
		selection dataset.Selection
		want      []int // of 1 to 4, 5 to 7, and 8
	}{
		"the first":                 {dataset.Selection{Limit: 5, First: true, Seed: 9}, []int{1, 2, 3, 4, 5}},
		"the first of each subject": {dataset.Selection{PerSubject: 2, First: true, Seed: 9}, []int{1, 2, 5, 6, 8}},
		"the first share of each":   {dataset.Selection{Share: 0.5, First: true, Seed: 9}, []int{1, 2, 5, 8}},

		"by id":                  {dataset.Selection{Chosen: []string{"7", "3", "3"}}, []int{3, 7}},
		"by places":              {dataset.Selection{Chosen: []string{"subject_b:2-3", "subject a:4"}}, []int{4, 6, 7}},
		"beside a whole subject": {dataset.Selection{Chosen: []string{"subject_c:1"}, Subjects: []string{"subject b"}}, []int{5, 6, 7, 8}},
	} {
		got := pick(t, setOf(4, 3, 1), test.selection)
		assert.Check(t, slices.Equal(got, test.want), "%s: %v, want %v", name, got, test.want)
	}
	for says, selection := range map[string]dataset.Selection{
		"made: there is no question 9: it has 8, with ids from 1 to 8": {Chosen: []string{"1", "9"}},
		"made: it has 3 questions of subject b, and 6 is beyond them":  {Chosen: []string{"subject b:1-6"}},
		`unknown subject "alchemy"`:                                    {Chosen: []string{"alchemy:1"}},
		"a limit does not apply to chosen questions":                   {Chosen: []string{"1"}, Limit: 3},
		`"x" is not a question id`:                                     {Chosen: []string{"x"}},
	} {
		_, err := setOf(4, 3, 1).Select(selection)
		errortest.Says(t, err, says)
	}
}

func TestShotsAreTheFirstOfTheSubject(t *testing.T) {
	set := setOf(0)
	set.Validation = setOf(3, 5).Test
	shots, err := set.Shots("subject b", 2)
	assert.Check(t, err == nil && len(shots) == 2 && shots[0].ID == 4 && shots[1].ID == 5, "%v, %v", shots, err)
	shots, err = set.Shots("subject z", 0)
	assert.Check(t, err == nil && len(shots) == 0, "no shots: %v, %v", shots, err)
	_, err = set.Shots("subject a", 5)
	errortest.Says(t, err, `has 3 validation questions for subject "subject a", 5 shots need 5`)
}

func TestWithoutFillerMovesTheGoldLetter(t *testing.T) {
	for name, test := range map[string]struct {
		options      []string
		answer, want string
	}{
		"nothing to drop":              {[]string{"a", "b"}, "B", "[a b] B 1"},
		"filler at the end":            {[]string{"a", "b", "N/A", "N/A"}, "B", "[a b] B 1"},
		"filler before the gold":       {[]string{"a", "N/A", "c"}, "C", "[a c] B 1"},
		"a gold that reads like it":    {[]string{"N/A", "b", "N/A"}, "C", "[b N/A] B 1"},
		"text that merely contains it": {[]string{"N/A ", "b"}, "B", "[N/A  b] B 1"},
	} {
		q := dataset.Question{Options: test.options, Answer: test.answer}
		q.AnswerIndex = q.Gold()
		before := slices.Clone(test.options)
		q = q.WithoutFiller()
		got := fmt.Sprintf("%v %s %d", q.Options, q.Answer, q.AnswerIndex)
		assert.Check(t, got == test.want && slices.Equal(before, test.options), "%s: %s, of %v", name, got, test.options)
	}
}

func TestAShotsFileTakesThePlaceOfTheSetsOwn(t *testing.T) {
	folder := folderOf(t, map[string]string{"test.jsonl": good, "validation.jsonl": good})
	shots := write(t, "test.csv", "question,A,B,answer\nS1,x,y,A\nS2,x,y,B\n") // named like a test file: it is not one
	own := dataset.Options{Folder: t.TempDir()}
	o := dataset.Options{Folder: own.Folder, ShotsFile: shots}
	set := mustOpen(t, folder, o)
	assert.Assert(t, len(set.Test) == 1 && len(set.Validation) == 2 && set.SHA256 != mustOpen(t, folder, own).SHA256)
	// They have no subject, so they serve all.
	all, err := set.Shots("math", 2)
	assert.Check(t, err == nil && len(all) == 2 && all[0].Text == "S1", "shots %v, %v", all, err)
	imports(t, o, "mine", folder)
	again := mustOpen(t, "mine", own)
	assert.Check(t, again.SHA256 == set.SHA256 && len(again.Validation) == 2, "imported with %d shots", len(again.Validation))
	imports(t, own, "plain", folder)
	again = mustOpen(t, "plain", o)
	assert.Check(t, again.SHA256 == set.SHA256 && again.Validation[1].Text == "S2", "a shots file beside an imported set does not count")
	for name, want := range map[string]string{
		filepath.Join(own.Folder, "no.csv"): "no such file",
		write(t, "bad.csv", "x,y\n1,2\n"):   "are not recognised",
		write(t, "bad.jsonl", "{\"q\":1}"):  "are not recognised",
	} {
		_, err := dataset.Open(folder, dataset.Options{Folder: own.Folder, ShotsFile: name})
		errortest.Says(t, err, want, name)
	}
}

func TestShotsWithSubjectsServeTheirsAlone(t *testing.T) {
	set := openFile(t, folderOf(t, map[string]string{"test.jsonl": good, "validation.jsonl": strings.Replace(good, "math", "law", 1)}))
	_, err := set.Shots("math", 1)
	errortest.Says(t, err, "shots-file FILE")
}

func TestATestQuestionIsNoShot(t *testing.T) {
	row := func(id int, text, options, answer string) string {
		return fmt.Sprintf(`{"question_id":%d,"question":%q,"options":%s,"answer":%q,"category":"math"}`+"\n", id, text, options, answer)
	}
	folder := folderOf(t, map[string]string{
		"test.jsonl": row(0, "Same?", `["x","y"]`, "A") + row(2, "Other?", `["x","y"]`, "A") + row(3, "Same?", `["y","x"]`, "B"),
		"validation.jsonl": row(10, "Mine?", `["x","y"]`, "A") + row(11, " Same? ", `["y"," x","N/A"]`, "B") +
			row(12, "Other?", `["x","z"]`, "A") + row(13, "Other?", `["x","y"]`, "A"),
	})
	set := openFile(t, folder)
	assert.DeepEqual(t, set.Overlaps, []dataset.Overlap{{Validation: 11, Test: 0}, {Validation: 13, Test: 2}})
	shots, err := set.Shots("math", 2)
	assert.Check(t, err == nil && shots[0].ID == 10 && shots[1].ID == 12, "shots %v, %v; want 10 and 12", shots, err)
	_, err = set.Shots("math", 3)
	errortest.Says(t, err, `has 2 validation questions for subject "math" (2 validation questions also in the test split, left out), 3 shots need 3`)
	// A file that is its own shots file has none.
	set = mustOpen(t, folder, dataset.Options{Folder: t.TempDir(), ShotsFile: filepath.Join(folder, "test.jsonl")})
	_, err = set.Shots("math", 1)
	errortest.Says(t, err, "has 0 validation questions")
	var text strings.Builder
	assert.NilError(t, set.Audit().WriteText(&text))
	const want = "\n3 validation questions also in the test split (left out as shots)\n  validation question 0: test question 0\n"
	assert.Check(t, strings.Contains(text.String(), want), text.String())
}

func TestAnImportedSetTakesNoOtherMapping(t *testing.T) {
	o, _ := imported(t)
	o.Map = parsed(t, "answer=k:text")
	_, err := dataset.Open("mine", o)
	errortest.Says(t, err, "was imported with its mapping, and takes no other")
}
