package metrics

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// A headline is of the whole set only where all subjects and all items of it were asked.
func TestAHeadlineNamesThePartOfTheSetThatItIsOf(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*journal.Header)
		want   string
	}{
		"a draw of all subjects":   {func(h *journal.Header) { h.Selection.Limit = 30 }, AllQuestions},
		"all that was to be asked": {func(*journal.Header) {}, AllQuestions},
		"all subjects, each chosen": {func(h *journal.Header) {
			h.Dataset.Subjects, h.Selection.Subjects = 3, []string{"law", "math", "biology"}
		}, AllQuestions},
		"chosen subjects": {func(h *journal.Header) {
			h.Dataset.Subjects, h.Selection.Subjects = 14, []string{"law", "math", "biology"}
		}, "3 of 14 subjects (biology, law, math)"},
		"a draw from chosen subjects": {func(h *journal.Header) {
			h.Dataset.Subjects, h.Selection.Subjects, h.Selection.Limit = 14, []string{"law", "math", "biology"}, 30
		}, "3 of 14 subjects (biology, law, math)"},
		"chosen subjects of an older journal": {func(h *journal.Header) {
			h.Selection.Subjects = []string{"law", "math", "biology"}
		}, "3 subjects (biology, law, math)"},
		"the first questions": {func(h *journal.Header) { h.Dataset.Subjects, h.Selection.First = 4, true },
			"3 of 4 subjects (biology, law, math)"},
		"a draw of many subjects that lacks one": {func(h *journal.Header) { h.Dataset.Subjects = 5 }, "4 of 5 subjects (a, b, 2 more)"},
		"a shard": {func(h *journal.Header) {
			h.History[0].Shard = &journal.Shard{Index: 2,
				Count: 3, Items: 30}
		}, "shard 2 of 3"},
		"a partial merge": {func(h *journal.Header) {
			h.Selection.Items = 60
			h.History = journal.History{{Shard: &journal.Shard{Index: 1, Count: 3}}, {Shard: &journal.Shard{Index: 3,
				Count: 3}}, {}}
		}, "2 of 3 shards"},
		"a partial merge that was gone on with": {func(h *journal.Header) {
			h.History = journal.History{{Shard: &journal.Shard{Index: 1, Count: 3}}, {Shard: &journal.Shard{Index: 3,
				Count: 3}}, {}}
		}, AllQuestions},
		"a run that was interrupted": {func(h *journal.Header) { h.Selection.Items, h.Dataset.Subjects = 40, 6 },
			"30 of 40 items so far, 3 of 6 subjects (biology, law, math)"},
		"a run that answered nothing": {func(h *journal.Header) { h.Selection.Items, h.Dataset.Subjects = 40, 6 }, "0 of 40 items so far"},
		"an older run that answered nothing": {func(h *journal.Header) { h.Selection.Items, h.Selection.Subjects = 40, []string{"law"} },
			"0 of 40 items so far"},
		"a run until it is decided": {func(h *journal.Header) {
			h.Selection.Items, h.Selection.UntilDecided = 40, &journal.UntilDecided{Run: "q8", Margin: 0.01, Alpha: 0.05}
		}, AllQuestions},
	} {
		h, records := journaltest.MCQ(30, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
		for i := range records {
			if strings.Contains(name, "many") {
				records[i].Subject = []string{"a", "b", "c", "d"}[i%4]
			}
		}
		if strings.Contains(name, "nothing") {
			records = nil
		}
		test.change(&h)
		r := mustBuild(t, h, records, Options{})
		got := r.Headline.Covers
		assert.Check(t, got == test.want, "%s: the headline is of %q, want %q", name, got, test.want)
	}
}

// A mean of subjects says which of them it is without.
func TestAMeanOfSubjectsSaysWhatItLeavesOut(t *testing.T) {
	h, records := journaltest.Circular(journaltest.Header("mmlu_pro_circular"), make([]int, 12),
		func(int) []string { return journaltest.Rotations(4) }, func(q int, pattern, gold string) journaltest.Answer {
			if q%3 == 0 && pattern == "BCDA" {
				return journaltest.Answer{Failed: backends.CauseTimeout}
			}
			return journaltest.Answer{Letter: gold}
		})
	for i := range records {
		if records[i].QuestionID%3 == 1 { // 100 is the first
			records[i].Subject = "law"
		}
	}
	r := mustBuild(t, h, records, Options{})
	got := r.About(AboutSubjects)
	assert.Check(t, len(got) == 1 && got[0] == "macro perf: 1 of 2 subjects have no such figure and are left out", "%q", got)
}
