package grade_test

import (
	"testing"

	"proctor/backends"
	"proctor/runner/grade"
)

func TestEveryTagAndCauseIsExplained(t *testing.T) {
	var names []string
	for _, tag := range grade.Tags {
		names = append(names, string(tag))
	}
	for _, cause := range backends.Causes {
		names = append(names, string(cause))
	}
	for _, name := range names {
		if e := grade.Explain(name); e.Means == "" || e.Remedy == "" {
			t.Errorf("%s means %q, and one does %q", name, e.Means, e.Remedy)
		}
	}
	if len(names) != len(grade.Explanations) {
		t.Errorf("%d explanations of %d tags and causes", len(grade.Explanations), len(names))
	}
	if e := grade.Explain("BOREDOM"); e != (grade.Explanation{}) {
		t.Errorf("%+v", e)
	}
}
