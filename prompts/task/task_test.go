package task_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/prompts/task"
	"proctor/scripts/tests/errortest"
)

func TestRowsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range task.All {
		assert.Check(t, row.Summary != "" && row.Letters != "" && row.Variants != "" && row.Headline != "" && row.Independent != "", "%+v", row)
		for set, name := range map[string]string{
			"sample": "Bundled sample", "exam": "exam", "": "Unnamed questions", "mmlu-pro": "mmlu-pro (by name only)",
			"MMLU_Pro": "MMLU_Pro (by name only)", "my-mmlu-pro-like": "my-mmlu-pro-like (by name only)",
		} {
			assert.Equal(t, row.Title(set, false), strings.TrimSpace(name+" "+row.Form))
			assert.Equal(t, row.Title(set, true), strings.TrimSpace("MMLU-Pro "+row.Form))
		}
		want := 0.1
		if row.Variants == task.EachOption {
			want = 0.5
		}
		assert.Equal(t, row.NominalOf(10), want, row.Name)
		found, ok := task.Lookup(row.Name)
		assert.Check(t, ok && found == row && !seen[row.Name], "Lookup(%q) = %+v, %t", row.Name, found, ok)
		seen[row.Name] = true
	}
	found, ok := task.Lookup("mmlu_pro_biology")
	assert.Check(t, !ok, "a name with a subject found %+v", found)
}

func TestOnlyOrdersHaveAPattern(t *testing.T) {
	for _, row := range task.All {
		assert.Equal(t, row.Pattern("") != "", row.Variants == task.EachOrder, row.Name)
		assert.Equal(t, row.Pattern(task.AllPossible), task.AllPossible, row.Name)
	}
	assert.Equal(t, task.All[2].HeadlineName(task.AllPossible), "perf_all_possible")
}

func TestEachTaskHasADirectVariant(t *testing.T) {
	for _, row := range task.All {
		direct := row.AsDirect()
		found, ok := task.Lookup(direct.Name)
		assert.Check(t, ok && found == direct && direct.Direct && direct.AsDirect() == direct, "%+v", direct)
		assert.Check(t, direct.NominalOf(4) == row.NominalOf(4) && direct.Headline == row.Headline && direct.Independent == row.Independent,
			"%s is measured otherwise than %s", direct.Name, row.Name)
	}
	for _, row := range task.Generating() {
		assert.Check(t, !row.Direct && row.AsDirect() != row, "%s generates nothing", row.Name)
	}
	for i, want := range []string{"tiger-direct@1 MMLU-Pro direct", "binary-direct@2 MMLU-Pro Binary direct",
		"tiger-direct@1 MMLU-Pro CircularEval direct"} {
		direct := task.All[i].AsDirect()
		assert.Equal(t, direct.Style+" "+direct.Title("mmlu-pro", true), want)
	}
	math := task.All[0]
	math.Subject = "math"
	all, err := task.AllDirect([]task.Task{math, task.All[1]})
	assert.Check(t, err == nil && all[0].String() == "mmlu_pro_direct_math" && all[1] == task.All[1].AsDirect(), "%v, %v", all, err)
	_, err = task.AllDirect([]task.Task{task.All[0], task.All[0].AsDirect()})
	errortest.For(t, "a task and its variant", err, "named twice")
}
