package task_test

import (
	"strings"
	"testing"

	"proctor/prompts/task"
	"proctor/scripts/tests/errortest"
)

func TestRowsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range task.All {
		if row.Summary == "" || row.Letters == "" || row.Variants == "" || row.Headline == "" || row.Independent == "" {
			t.Errorf("%+v lacks something", row)
		}
		for set, name := range map[string]string{
			"sample": "Bundled sample", "exam": "exam", "": "Unnamed questions", "mmlu-pro": "mmlu-pro (by name only)",
			"MMLU_Pro": "MMLU_Pro (by name only)", "my-mmlu-pro-like": "my-mmlu-pro-like (by name only)",
		} {
			if want := strings.TrimSpace(name + " " + row.Form); row.Title(set, false) != want {
				t.Errorf("%s of %s: title %q, want %q", row.Name, set, row.Title(set, false), want)
			}
			if want := strings.TrimSpace("MMLU-Pro " + row.Form); row.Title(set, true) != want {
				t.Errorf("%s of the published set: title %q, want %q", row.Name, row.Title(set, true), want)
			}
		}
		if !(row.Nominal > 0 && row.Nominal < 1) {
			t.Errorf("%s: nominal baseline %g is not a share", row.Name, row.Nominal)
		}
		if found, ok := task.Lookup(row.Name); !ok || found != row || seen[row.Name] {
			t.Errorf("Lookup(%q) = %+v, %t", row.Name, found, ok)
		}
		seen[row.Name] = true
	}
	if found, ok := task.Lookup("mmlu_pro_biology"); ok {
		t.Errorf("a name with a subject found %+v", found)
	}
}

func TestOnlyOrdersHaveAPattern(t *testing.T) {
	for _, row := range task.All {
		pattern := row.Pattern("")
		if (pattern != "") != (row.Variants == task.EachOrder) {
			t.Errorf("%s: pattern %q", row.Name, pattern)
		}
		if given := row.Pattern(task.AllPossible); given != task.AllPossible {
			t.Errorf("%s: pattern %q, want the one given", row.Name, given)
		}
	}
	circular := task.All[2]
	if got := circular.HeadlineName(task.AllPossible); got != "perf_all_possible" {
		t.Errorf("headline %s", got)
	}
}

func TestEachTaskHasADirectVariant(t *testing.T) {
	for _, row := range task.All {
		direct := row.AsDirect()
		found, ok := task.Lookup(direct.Name)
		if !ok || found != direct || !direct.Direct || direct.AsDirect() != direct {
			t.Errorf("%s: %+v", row.Name, direct)
		}
		if direct.Nominal != row.Nominal || direct.Headline != row.Headline || direct.Independent != row.Independent {
			t.Errorf("%s is measured otherwise than %s", direct.Name, row.Name)
		}
	}
	for _, row := range task.Generating() {
		if row.Direct || row.AsDirect() == row {
			t.Errorf("%s generates nothing", row.Name)
		}
	}
	for i, want := range []string{"tiger-direct@1 MMLU-Pro direct", "binary-direct@1 MMLU-Pro Binary direct",
		"tiger-direct@1 MMLU-Pro CircularEval direct"} {
		if direct := task.All[i].AsDirect(); direct.Style+" "+direct.Title("mmlu-pro", true) != want {
			t.Errorf("%s, %s; want %s", direct.Style, direct.Title("mmlu-pro", true), want)
		}
	}
	math := task.All[0]
	math.Subject = "math"
	all, err := task.AllDirect([]task.Task{math, task.All[1]})
	if err != nil || all[0].String() != "mmlu_pro_direct_math" || all[1] != task.All[4] {
		t.Errorf("%v, %v", all, err)
	}
	_, err = task.AllDirect([]task.Task{task.All[0], task.All[3]})
	errortest.For(t, "a task and its variant", err, "named twice")
}
