package metrics

import (
	"strings"
	"testing"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/draw"
)

// A headline is of the whole set only where all subjects and all items of it were asked.
func TestAHeadlineNamesThePartOfTheSetThatItIsOf(t *testing.T) {
	even := map[string]int{"biology": 100, "law": 300, "math": 600}
	for name, test := range map[string]struct {
		change func(*journal.Header)
		want   string
	}{
		"a draw of all subjects":   {func(h *journal.Header) { h.Selection.Population = even }, draw.WholeSet},
		"all that was to be asked": {func(*journal.Header) {}, draw.Asked},
		"all subjects, each chosen": {func(h *journal.Header) {
			h.Dataset.Subjects, h.Selection.Subjects = 3, []string{"law", "math", "biology"}
		}, draw.Asked},
		"chosen subjects": {func(h *journal.Header) {
			h.Dataset.Subjects, h.Selection.Subjects = 14, []string{"law", "math", "biology"}
		}, "3 of 14 subjects (biology, law, math)"},
		"a draw from chosen subjects": {func(h *journal.Header) {
			h.Dataset.Subjects, h.Selection.Subjects, h.Selection.Population = 14, []string{"law", "math", "biology"}, even
		}, "3 of 14 subjects (biology, law, math)"},
		"chosen subjects of an older journal": {func(h *journal.Header) {
			h.Selection.Subjects, h.Selection.Population = []string{"law", "math", "biology"}, even
		}, "3 subjects (biology, law, math)"},
		"the first questions": {func(h *journal.Header) { h.Dataset.Subjects, h.Selection.First = 4, true },
			"3 of 4 subjects (biology, law, math)"},
		"a draw that lacks a subject": {func(h *journal.Header) {
			h.Selection.Population = map[string]int{"biology": 100, "law": 300, "math": 600, "art": 5}
		}, "3 of 4 subjects (biology, law, math)"},
		"a draw of many subjects that lacks one": {func(h *journal.Header) {
			h.Dataset.Subjects, h.Selection.Population = 5, map[string]int{"a": 9, "b": 9, "c": 9, "d": 9, "art": 9}
		}, "4 of 5 subjects (a, b, 2 more)"},
		"a shard": {func(h *journal.Header) { h.Shard = &journal.Shard{Index: 2, Count: 3, Items: 30} }, "shard 2 of 3"},
		"a partial merge": {func(h *journal.Header) {
			h.Selection.Items, h.Selection.Population = 60, even
			h.Merged = &journal.Merged{Count: 3, Missing: []int{2}}
		}, "2 of 3 shards"},
		"a partial merge that was gone on with": {func(h *journal.Header) {
			h.Selection.Population, h.Merged = even, &journal.Merged{Count: 3, Missing: []int{2}}
		}, draw.WholeSet},
		"a run that was interrupted": {func(h *journal.Header) {
			h.Selection.Items, h.Selection.Population, h.Dataset.Subjects = 40, even, 6
		},
			"30 of 40 items so far, 3 of 6 subjects (biology, law, math)"},
		"a run until it is decided": {func(h *journal.Header) {
			h.Selection.Items, h.Selection.Population, h.Selection.UntilDecided = 40, even, &journal.UntilDecided{}
		}, draw.WholeSet},
	} {
		h, records := journaltest.MCQ(30, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
		for i := range records {
			if strings.Contains(name, "many") {
				records[i].Subject = []string{"a", "b", "c", "d"}[i%4]
			}
		}
		test.change(&h)
		r := mustBuild(t, h, records, Options{})
		if got := r.Headline.Covers; got != test.want {
			t.Errorf("%s: the headline is of %q, want %q", name, got, test.want)
		}
		if r.Stratified != nil && test.want != draw.WholeSet && r.Stratified.Headline.Covers != test.want {
			t.Errorf("%s: the estimate is of %q", name, r.Stratified.Headline.Covers)
		}
		if r.Sample != nil && r.Sample.Covers != draw.Asked {
			t.Errorf("%s: the sample is of %q", name, r.Sample.Covers)
		}
	}
}

// Where items of repeats failed, the estimate of the set's accuracy is the headline's: of questions, not of items.
func TestTheSetHasOneAccuracy(t *testing.T) {
	h, records := journaltest.MCQ(30, func(q, _ int, gold string) journaltest.Answer {
		if q%4 == 0 {
			return journaltest.Answer{}
		}
		return journaltest.Answer{Letter: gold}
	})
	h.Selection.Population = map[string]int{"biology": 100, "law": 300, "math": 600}
	h, records = journaltest.Again(h, records, 3, func(repeat int, r *journal.Record) {
		if repeat > 1 && r.QuestionID%5 == 0 {
			r.Finish, r.Cause = backends.FinishError, backends.CauseTimeout
		}
	})
	s := mustBuild(t, h, records, Options{}).Stratified
	if s.Accuracy != s.Headline.Value || s.CI != s.Headline.CI || s.Baseline != s.Headline.Baseline {
		t.Errorf("two accuracies of one set: %+v", s)
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
	if got := r.About(AboutSubjects); len(got) != 1 || got[0] != "macro perf: 1 of 2 subjects have no such figure and are left out" {
		t.Errorf("%q", got)
	}
}
