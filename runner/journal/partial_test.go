package journal_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
	"proctor/scripts/tests/errortest"
)

// partial is what an answer had some seconds after it was begun.
func partial(id string, seconds, from int, tokens ...int32) journal.Partial {
	p := journal.Partial{ID: id, From: from, Tokens: tokens, Began: time.Unix(1000, 0)}
	p.Timing.Total = time.Duration(seconds) * time.Second
	return p
}

// writePartials makes a journal of partials between two records.
func writePartials(t *testing.T, partials ...journal.Partial) (run string) {
	t.Helper()
	w, err := journal.Create(t.TempDir(), header())
	assert.NilError(t, err)
	err = w.Append(record(1))
	for _, p := range partials {
		err = errors.Join(err, w.AppendPartial(p))
	}
	assert.NilError(t, errors.Join(err, w.Append(record(2)), w.Close()))
	return w.Path()
}

func TestAnUnfinishedAnswerIsPutTogetherOfItsLines(t *testing.T) {
	forked := partial("mmlu_pro/4", 60, 1, 30) // it went another way from its second token on
	run := writePartials(t, partial("mmlu_pro/3", 60, 0, 7, 8), partial("mmlu_pro/4", 50, 0, 10, 20), partial("mmlu_pro/3", 120, 2, 9),
		forked, partial("mmlu_pro/2", 60, 0, 1))
	w, resume, err := journal.OpenAppend(run, header())
	assert.NilError(t, err)
	assert.NilError(t, w.Close())
	three, four := resume.Open["mmlu_pro/3"].Tokens, resume.Open["mmlu_pro/4"].Tokens
	assert.Check(t, slices.Equal(three, []int32{7, 8, 9}) && slices.Equal(four, []int32{10, 30}) && len(resume.Open) == 2,
		"open: %+v", resume.Open)
	assert.Check(t, resume.Ended.Equal(time.Unix(1120, 0)), "the run ended at %s, want when the last line was written", resume.Ended)
	r, err := journal.Open(run)
	assert.NilError(t, err)
	defer r.Close()
	items := 0
	for _, err := range r.Records() {
		assert.NilError(t, err)
		items++
	}
	assert.Check(t, items == 2 && len(r.Partials()) == 3, "%d items and %d partials, want 2 and 3", items, len(r.Partials()))
}

func TestAPartialThatMakesNoSenseIsRefused(t *testing.T) {
	w, err := journal.Create(t.TempDir(), header())
	assert.NilError(t, err)
	defer w.Close()
	errortest.Says(t, w.AppendPartial(partial("", 1, 0)), "id is empty")
	errortest.Says(t, w.AppendPartial(partial("mmlu_pro/1", -1, 0)), "none can be negative")
	errortest.Says(t, w.AppendPartial(journal.Partial{ID: "mmlu_pro/1"}), "began is missing")

	_, _, err = journal.OpenAppend(writePartials(t, partial("mmlu_pro/3", 1, 0, 7), partial("mmlu_pro/3", 2, 2, 9)), header())
	errortest.Says(t, err, "journal.jsonl:4: mmlu_pro/3: 2 tokens of its answer should stand on earlier lines, and 1 do: take the line out")
}
