package metrics

import (
	"testing"

	"proctor/backends"
	"proctor/runner/journal/journaltest"
)

func TestTheLeaderboardEquivalentGuessesWhereThereIsNoAnswer(t *testing.T) {
	h, records := journaltest.MCQ(20, func(q, _ int, gold string) journaltest.Answer {
		switch {
		case q < 2:
			return journaltest.Answer{Failed: backends.CauseConnection}
		case q < 7:
			return journaltest.Answer{}
		case q < 14:
			return journaltest.Answer{Letter: gold}
		}
		return journaltest.Answer{Letter: map[bool]string{true: "B", false: "A"}[gold == "A"]}
	})
	sum := 7.0
	for _, r := range records[2:7] {
		sum += 1 / float64(r.Options)
	}
	r := mustBuild(t, h, records, Options{})
	near(t, "leaderboard-equivalent", r.Rules["tiger"].LeaderboardEquivalent, sum/18)
	near(t, "score", r.Score, 7.0/18)
	near(t, "score of answered items", r.Rules["agi-evals"].AccuracyAnswered, 7.0/13)
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
