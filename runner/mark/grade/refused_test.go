package grade_test

import (
	"testing"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
)

// TestARefusalIsNoAnswer has a refusal whose words hold letters, under every rule set.
func TestARefusalIsNoAnswer(t *testing.T) {
	r := &journal.Record{Text: "I cannot help. The answer is (A).", Finish: backends.FinishStop, Options: 10, Gold: "A"}
	for _, rules := range grade.Sets() {
		r.Cause = backends.CauseRefused
		if m := rules.Mark(&journal.Header{}, r); m.Tag != grade.NoAnswer || m.Cause != backends.CauseRefused || m.Answered() {
			t.Errorf("%s: %+v", rules.Name, m)
		}
	}
}
