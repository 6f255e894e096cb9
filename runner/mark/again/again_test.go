package again_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/again"
	"proctor/runner/mark/results"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

// raisedRun is a run of ten questions: the cap cut 0 to 5 (0 and 1 with an answer), 6 has no answer of its own, and the rest is right.
func raisedRun() (journal.Header, []journal.Record) {
	h, records := journaltest.MCQ(10, func(q, _ int, gold string) journaltest.Answer {
		switch {
		case q < 2:
			return journaltest.Answer{Letter: gold, Capped: true}
		case q < 6:
			return journaltest.Answer{Capped: true}
		case q == 6:
			return journaltest.Answer{}
		}
		return journaltest.Answer{Letter: gold}
	})
	raise(&h, records)
	return h, records
}

// raise gives a run a cap of 8,192 tokens, after what it asked under its own.
func raise(h *journal.Header, records []journal.Record) {
	for i := range records {
		records[i].MaxTokens = h.Sampling.MaxTokens
	}
	h.History = append(h.History, journal.Part{MaxTokens: 8192})
	h.Sampling.MaxTokens = 8192
}

// second is a record's line when it is asked again.
func second(r journal.Record, text string) journal.Record {
	r.Text, r.Finish, r.Cause, r.Attempt, r.MaxTokens = text, backends.FinishStop, "", r.Attempt+1, 8192
	return r
}

func marked(t *testing.T, h journal.Header, records []journal.Record) *results.Run {
	t.Helper()
	run, err := results.Open(journaltest.Keep(t, t.TempDir(), h, journaltest.Shuffled(records)), "")
	assert.NilError(t, err)
	return run
}

func TestDueItemsAreThoseThatTheCapCut(t *testing.T) {
	h, records := raisedRun()
	failed := second(records[2], "") // is asked again as whatever failed; its first completion stands
	failed.Finish, failed.Cause = backends.FinishError, backends.CauseTimeout
	for _, lines := range [][]journal.Record{records, append(slices.Clone(records), failed)} {
		var due []int
		for _, it := range again.Due(marked(t, h, lines)) {
			due = append(due, it.QuestionID-100)
		}
		slices.Sort(due)
		assert.DeepEqual(t, due, []int{0, 1, 2, 3, 4, 5})
	}
	lines := append(slices.Clone(records), second(records[3], " it is hard to say."))
	for _, it := range again.Due(marked(t, h, lines)) {
		assert.Check(t, it.QuestionID != 103, "asked again twice under one cap")
	}
	h, records = journaltest.MCQ(3, func(int, int, string) journaltest.Answer { return journaltest.Answer{Capped: true} })
	if run := marked(t, h, records); again.Due(run) != nil || again.Of(run) != nil || again.Of(run).Warning() != "" {
		t.Error("a run that was not asked again has items due or figures")
	}
}

func TestTheScoreIsMixedWhereItIsOfNoSingleRun(t *testing.T) {
	h, records := raisedRun()
	right := func(i int) journal.Record { return second(records[i], " the answer is ("+records[i].Gold+").") }
	all := append(slices.Clone(records), right(0), right(1), right(2), right(3), right(4), second(records[5], " it is hard to say."))
	for name, test := range map[string]struct {
		lines []journal.Record
		want  again.Figures
		says  string
	}{
		"all": {all, again.Figures{Items: 6, Before: again.Counts{Answered: 2, Correct: 2, Cut: 6},
			After: again.Counts{Answered: 5, Correct: 5}},
			"completions all under the cap of 8,192 tokens"},
		"some due": {all[:len(all)-2], again.Figures{Items: 4, Before: again.Counts{Answered: 2, Correct: 2, Cut: 4},
			After: again.Counts{Answered: 4, Correct: 4}, Due: 2, Mixed: true}, "mixed caps"},
	} {
		f := again.Of(marked(t, h, test.lines))
		test.want.MaxTokens = []int{2048, 8192}
		assert.Check(t, reflect.DeepEqual(*f, test.want), "%s:\n%+v, want\n%+v", name, *f, test.want)
		assert.Check(t, f.Headline() == test.says && (f.Warning() != "") == f.Mixed, "%s: %q, %q", name, f.Headline(), f.Warning())
	}
}

// A completion with several budgets of thinking is of one cap where all of its forks are.
func TestAForkThatTheCapCutIsAskedAgain(t *testing.T) {
	h, records := journaltest.MCQ(30, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	h, records = journaltest.Thinking(h, records)
	i := slices.IndexFunc(records, func(r journal.Record) bool { return len(r.Forks) > 0 })
	whole := records[i]
	whole.Forks = slices.Clone(whole.Forks)
	records[i].Forks[0].Finish = backends.FinishLength
	looped := slices.IndexFunc(records[i+1:], func(r journal.Record) bool { return len(r.Forks) > 0 }) + i + 1
	records[looped].Forks[0].Finish = backends.FinishLength // under a larger cap it would repeat itself as well
	records[looped].Forks[0].Text = strings.Repeat("the same again, and ", 200)
	raise(&h, records)
	before := marked(t, h, records)
	assert.Check(t, len(again.Due(before)) == 1 && again.Due(before)[0].ID == whole.ID && again.Of(before).Mixed, "%+v", again.Of(before))
	whole.Attempt, whole.MaxTokens = whole.Attempt+1, 8192
	after := marked(t, h, append(records, whole))
	assert.Check(t, again.Due(after) == nil && !again.Of(after).Mixed && again.Of(after).Items == 1, "%+v", again.Of(after))
}
