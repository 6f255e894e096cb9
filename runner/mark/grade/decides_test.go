package grade_test

import (
	"testing"

	"proctor/runner/mark/grade"
)

func TestRuleSetsThatTakeTheFirstMatchDecide(t *testing.T) {
	want := map[string]bool{"tiger-strict": true, "tiger": true, "lm-eval": true}
	for _, set := range grade.Sets() {
		if set.Decides(false) != want[set.Name] {
			t.Errorf("%s decides: %v", set.Name, set.Decides(false))
		}
		if set.Decides(true) {
			t.Errorf("%s decides although what it reads may turn out to be thinking", set.Name)
		}
	}
}
