package grade_test

import (
	"testing"

	"proctor/backends"
	"proctor/runner/mark/grade"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

func TestEveryTagAndCauseIsExplained(t *testing.T) {
	var names []string
	for _, tag := range grade.Tags {
		names = append(names, string(tag))
	}
	for _, cause := range backends.Causes {
		names = append(names, string(cause))
	}
	for _, name := range names {
		if e := grade.Explain(name); e.Words == "" || e.Means == "" || e.Remedy == "" {
			t.Errorf("%s is %q, means %q, and one does %q", name, e.Words, e.Means, e.Remedy)
		}
	}
	if len(names) != len(grade.Explanations()) {
		t.Errorf("%d explanations of %d tags and causes", len(grade.Explanations()), len(names))
	}
	if got := grade.InWords("LENGTH"); got != "stopped by --max-tokens (LENGTH)" {
		t.Errorf("LENGTH in words: %s", got)
	}
	if got := grade.InWords("BOREDOM"); got != "BOREDOM" {
		t.Errorf("a cause without an explanation in words: %s", got)
	}
	if e := grade.Explain("BOREDOM"); e != (grade.Explanation{}) {
		t.Errorf("%+v", e)
	}
}
