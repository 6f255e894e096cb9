package prompts_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/scripts/tests/errortest"
)

// question has options o1, o2, …; gold is the right one.
func question(id, options int, gold string) dataset.Question {
	q := dataset.Question{ID: id, Subject: "math", Text: "Which?", Answer: gold,
		CoT: "A: Let's think step by step. Not (A). The answer is (" + gold + ")."}
	for i := range options {
		q.Options = append(q.Options, fmt.Sprintf("o%d", i+1))
	}
	q.AnswerIndex = q.Gold()
	return q
}

func setOf(questions ...dataset.Question) *dataset.Set {
	set := &dataset.Set{Name: "made", Test: questions}
	for i := range 5 {
		set.Validation = append(set.Validation, question(100+i, 4, "B"))
	}
	return set
}

func TestTasksExpandAQuestion(t *testing.T) {
	for name, test := range map[string]struct {
		task     string
		question dataset.Question
		pattern  string
		want     string // "ID options gold", a variant each
	}{
		"mmlu_pro asks it once": {"mmlu_pro", question(70, 9, "I"), "", "mmlu_pro/70 9 I"},
		"binary asks about each option": {"mmlu_pro_binary", question(70, 3, "B"), "",
			"mmlu_pro_binary/70/A 2 B, mmlu_pro_binary/70/B 2 A, mmlu_pro_binary/70/C 2 B"},
		"circular rotates by the question's own number of options": {"mmlu_pro_circular", question(70, 4, "B"), "",
			"mmlu_pro_circular/70/ABCD 4 B, mmlu_pro_circular/70/BCDA 4 C, mmlu_pro_circular/70/CDAB 4 D, mmlu_pro_circular/70/DABC 4 A"},
		"circular by name": {"mmlu_pro_circular", question(70, 3, "C"), task.Circular,
			"mmlu_pro_circular/70/ABC 3 C, mmlu_pro_circular/70/BCA 3 A, mmlu_pro_circular/70/CAB 3 B"},
		"all_possible permutes": {"mmlu_pro_circular", question(70, 3, "A"), task.AllPossible,
			"mmlu_pro_circular/70/ABC 3 A, mmlu_pro_circular/70/ACB 3 A, mmlu_pro_circular/70/BAC 3 B, mmlu_pro_circular/70/BCA 3 B, " +
				"mmlu_pro_circular/70/CAB 3 C, mmlu_pro_circular/70/CBA 3 C"},
	} {
		var got []string
		for _, item := range render(t, test.task, test.pattern, test.question) {
			got = append(got, fmt.Sprintf("%s %d %s", item.ID, item.Options, item.Gold))
			assert.Check(t, item.QuestionID == 70 && item.Subject == "math", "%+v", item)
			assert.Equal(t, item.OptionsOriginal, map[bool]int{true: len(test.question.Options)}[test.task == "mmlu_pro_binary"], item.ID)
		}
		assert.Equal(t, strings.Join(got, ", "), test.want, name)
	}
}

func TestAPatternSaysWhereEachOptionNowStands(t *testing.T) {
	q := question(1, 4, "B")
	items := render(t, "mmlu_pro_circular", task.AllPossible, q)
	assert.Equal(t, len(items), 24)
	for _, item := range items {
		for i, letter := range item.Variant {
			assert.Check(t, strings.Contains(item.Text, fmt.Sprintf("\n%c. %s\n", letter, q.Options[i])), item.Text)
		}
		assert.Equal(t, item.Gold, item.Variant[1:2], item.ID)
	}
	set := setOf(question(70, 10, "A"))
	_, err := evalOf(t, "mmlu_pro_circular", task.AllPossible).Items(set, set.Test)
	errortest.Says(t, err, "question 70 has 10 options and so more than 24 orders: leave pattern out")
}

func TestItemsAreOrderedBySubjectAndQuestion(t *testing.T) {
	set := open(t, "sample")
	shuffled := slices.Clone(set.Test)
	slices.SortFunc(shuffled, func(a, b dataset.Question) int { return strings.Compare(a.Text, b.Text) })
	for _, task := range task.All {
		t.Run(task.Name, func(t *testing.T) {
			eval, given := evalOf(t, task.Name, ""), slices.Clone(shuffled)
			want := itemsOf(t, set, eval)
			got, err := eval.Items(set, shuffled)
			assert.NilError(t, err)
			assert.DeepEqual(t, shuffled, given) // they keep their order
			seen := map[string]bool{}
			for i, item := range got {
				assert.Assert(t, item.ID == want[i].ID && !seen[item.ID], "%s depends on the input's order, or is there twice", item.ID)
				seen[item.ID] = true
				before := got[max(0, i-1)]
				order := cmp.Or(cmp.Compare(before.Subject, item.Subject), cmp.Compare(before.QuestionID, item.QuestionID))
				assert.Assert(t, order <= 0, "%s after %s", item.ID, before.ID)
				assert.Assert(t, item.Subject != before.Subject || item.Preamble == before.Preamble, "%s has a preamble of its own", item.ID)
			}
		})
	}
}

func TestEveryTaskHasAnExpansionAndAStyle(t *testing.T) {
	for _, row := range task.All {
		assert.Equal(t, lookup(t, row.Style).Name, row.Style, "it is named with its version")
		for _, item := range render(t, row.Name, "", question(70, 9, "B")) {
			assert.Check(t, item.Options <= len(row.Letters) && strings.Contains(row.Letters, item.Gold), "%+v", item)
		}
	}
}

func TestEvalRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*prompts.Eval)
		want   string
	}{
		"six shots":                  {func(e *prompts.Eval) { e.Shots = 6 }, "6 shots; give 0 to 5"},
		"negative shots":             {func(e *prompts.Eval) { e.Shots = -1 }, "-1 shots"},
		"a pattern without circular": {func(e *prompts.Eval) { e.Pattern = task.Circular }, "patterns are for mmlu_pro_circular"},
		"an unknown pattern": {func(e *prompts.Eval) { e.Task, e.Pattern = task.All[2], "spiral" },
			`unknown pattern "spiral"; there are circular, all_possible`},
		"patterns with binary": {func(e *prompts.Eval) { *e = evalOf(t, "mmlu_pro_binary", "circular") }, "patterns are for"},
		"a style of another task": {func(e *prompts.Eval) { e.Task = task.All[1] },
			"style tiger@1 does not lay out mmlu_pro_binary; its default style is binary@2"},
		"binary's style for another task": {func(e *prompts.Eval) { e.Style = lookup(t, "binary") },
			"style binary@2 does not lay out mmlu_pro; its default style is tiger@1"},
		"more shots than the set can serve": {func(e *prompts.Eval) {},
			`made has 0 validation questions for subject "math", 5 shots need 5`},
	} {
		eval := evalOf(t, "mmlu_pro", "")
		test.change(&eval)
		set := &dataset.Set{Name: "made", Test: []dataset.Question{question(1, 4, "A")}}
		_, err := eval.Items(set, set.Test)
		errortest.For(t, name, err, test.want)
	}
}

func TestPublishedSetExpandsToTheKnownNumbers(t *testing.T) {
	set := published(t)
	for _, task := range []string{"mmlu_pro_binary", "mmlu_pro_circular"} { // where each question's gold stands once at every letter
		items := itemsOf(t, set, evalOf(t, task, ""))
		assert.Equal(t, len(items), 113992, task)
		items = slices.DeleteFunc(items, func(i prompts.Item) bool { return i.Gold != "A" })
		assert.Equal(t, len(items), 12032, "%s: items whose gold letter is A", task)
	}
}

func evalOf(tb testing.TB, name string, pattern string) prompts.Eval {
	tb.Helper()
	tasks, err := task.Parse(name, nil)
	assert.NilError(tb, err)
	return prompts.Eval{Task: tasks[0], Style: lookup(tb, tasks[0].Style), Shots: 5, Pattern: pattern}
}

func render(tb testing.TB, task string, pattern string, questions ...dataset.Question) []prompts.Item {
	tb.Helper()
	items, err := evalOf(tb, task, pattern).Items(setOf(questions...), questions)
	assert.NilError(tb, err)
	return items
}
