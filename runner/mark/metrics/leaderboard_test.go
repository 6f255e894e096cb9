package metrics

import (
	"testing"

	"proctor/backends"
	"proctor/runner/journal/journaltest"
)

// mixed fails 2 items of 20, finds no answer in 5, has 7 right and 6 wrong.
func mixed(q, _ int, gold string) journaltest.Answer {
	switch {
	case q < 2:
		return journaltest.Answer{Failed: backends.CauseConnection}
	case q < 7:
		return journaltest.Answer{}
	case q < 14:
		return journaltest.Answer{Letter: gold}
	}
	return journaltest.Answer{Letter: map[bool]string{true: "B", false: "A"}[gold == "A"]}
}

func TestTheLeaderboardEquivalentGuessesWhereThereIsNoAnswer(t *testing.T) {
	h, records := journaltest.MCQ(20, mixed)
	sum := 7.0
	for _, r := range records[2:7] {
		sum += 1 / float64(r.Options)
	}
	r := mustBuild(t, h, records, Options{})
	near(t, "leaderboard-equivalent", r.Rules["tiger"].LeaderboardEquivalent, sum/18)
	near(t, "score", r.Score, 7.0/18)
	for name, rule := range r.Rules {
		if name != "tiger" && rule.LeaderboardEquivalent.Defined() {
			t.Errorf("%s has one, whose harness does not guess", name)
		}
	}
}

func TestTasksThatAskInOtherWaysHaveNoLeaderboardEquivalent(t *testing.T) {
	h, records := journaltest.Binary(6, func(int, int, int) journaltest.Answer { return journaltest.Answer{} })
	if r := mustBuild(t, h, records, Options{}); r.Rules["tiger"].LeaderboardEquivalent.Defined() {
		t.Error("true-or-false items have one")
	}
}

func TestEachRuleSetHasItsScoreOfAnsweredItems(t *testing.T) {
	h, records := journaltest.MCQ(20, mixed)
	r := mustBuild(t, h, records, Options{})
	for _, name := range []string{"tiger", "agi-evals"} {
		near(t, name, r.Rules[name].AccuracyAnswered, 7.0/13)
		near(t, name+"'s accuracy", r.Rules[name].Accuracy, 7.0/18)
	}
	h, records = journaltest.MCQ(3, func(int, int, string) journaltest.Answer { return journaltest.Answer{} })
	if r := mustBuild(t, h, records, Options{}); r.Rules["agi-evals"].AccuracyAnswered.Defined() {
		t.Error("a run without answers has a score of answered items")
	}
}
