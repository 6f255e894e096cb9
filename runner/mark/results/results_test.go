package results

import (
	"slices"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// idsOf lists a view's items.
func idsOf(v View) string {
	var ids []string
	for _, it := range v.Items {
		ids = append(ids, it.ID)
	}
	return strings.Join(ids, " ")
}

func read(t *testing.T, h journal.Header, records []journal.Record, ruleSet string) *Run {
	t.Helper()
	run, err := Read(&h, journaltest.Stream(records), ruleSet)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestEachItemStandsOnceWhateverTheOrderOfItsLines(t *testing.T) {
	h, records := journaltest.MCQ(9, func(q, _ int, gold string) journaltest.Answer {
		if q < 2 {
			return journaltest.Answer{Failed: backends.CauseTimeout}
		}
		return journaltest.Answer{Letter: gold}
	})
	again, failedAgain := records[0], records[1]
	again.Attempt, again.Finish, again.Cause, again.Text = 2, backends.FinishStop, "", "the answer is (A)"
	failedAgain.Attempt, failedAgain.Cause = 2, backends.CauseConnection
	lateFailure := records[2] // does not take a completion away
	lateFailure.Attempt, lateFailure.Finish, lateFailure.Cause = 2, backends.FinishError, backends.CauseTimeout
	records = append(records, again, failedAgain, lateFailure)
	straight, mixed := read(t, h, records, ""), read(t, h, journaltest.Shuffled(records), "")
	for _, run := range []*Run{straight, mixed} {
		v := run.View(0)
		if got := v.Tally(); got.Items != 9 || got.Questions != 9 || got.Errors != 1 {
			t.Errorf("%+v", got)
		}
		for a := range v.Answers() {
			switch {
			case a.ID == again.ID && (a.Tag.IsError() || a.Letter != "A"):
				t.Errorf("an item that was asked again is %+v", *a.Mark)
			case a.ID == failedAgain.ID && a.Mark.Cause != backends.CauseConnection:
				t.Errorf("an item that failed again has cause %s", a.Mark.Cause)
			case a.Text != "" || a.Prompt != "":
				t.Errorf("%s keeps its texts", a.ID)
			}
		}
	}
	if a, b := idsOf(straight.View(0)), idsOf(mixed.View(0)); a != b {
		t.Errorf("in the journal's order %s, shuffled %s", a, b)
	}
}

func TestTheRuleSetThatWasAskedForComesFirst(t *testing.T) {
	h, records := journaltest.MCQ(3, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	own, strict := read(t, h, records, ""), read(t, h, records, "tiger-strict")
	if own.RuleSets[0].Name != "tiger" || strict.RuleSets[0].Name != "tiger-strict" || len(own.RuleSets) != len(strict.RuleSets) {
		t.Errorf("%v and %v", own.RuleSets, strict.RuleSets)
	}
	if got := len(own.Items[0].Marks); got != len(own.RuleSets) {
		t.Errorf("%d marks under %d rule sets", got, len(own.RuleSets))
	}
}

func TestViewsFallIntoSubjectsQuestionsAndRepeats(t *testing.T) {
	h, records := journaltest.Binary(4, func(_, option, gold int) journaltest.Answer {
		return journaltest.Answer{Letter: map[bool]string{true: "A", false: "B"}[option == gold]}
	})
	h, records = journaltest.Again(h, records, 3, nil)
	v := read(t, h, records, "").View(0)
	subjects, questions, repeats := len(slices.Collect(v.Subjects())), len(slices.Collect(v.Questions())), len(slices.Collect(v.Repeats()))
	if subjects != 2 || questions != 4 || repeats != 12 || v.Tally().Questions != 4 {
		t.Errorf("%d subjects, %d questions, %d repeats", subjects, questions, repeats)
	}
	if first := v.FirstRepeat(); 3*len(first.Items) != len(v.Items) || !first.Tally().AllRight() {
		t.Errorf("%d of %d items in the first repeat", len(first.Items), len(v.Items))
	}
}
