package metrics

import (
	"math"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// texts are the four options of every question of a made-up run; the gold one goes around.
var texts = []string{"12 km", "x + 1 = y", "war", "None of the above"}

// asksAboutOptions are the figures of a run about 40 questions' options; the model calls the numbers false and every other right option true.
func asksAboutOptions(t *testing.T) *ByOption {
	t.Helper()
	h := journaltest.Header("mmlu_pro_binary")
	var records []journal.Record
	for q := range 40 {
		gold := q % 4
		for option, text := range texts {
			right := map[bool]string{true: "A", false: "B"}[option == gold]
			says := right
			if option == 0 || option == 2 && q%10 == 9 {
				says = "B"
			}
			r := journaltest.Record(&h, q, "math", journaltest.Letter(option), 2, right, journaltest.Answer{Letter: says})
			r.OptionsOriginal, r.Prompt = 4, "Is "+text+" the correct answer to the question: 'Which?'?"
			records = append(records, r)
		}
	}
	read, err := results.Read(&h, journaltest.Stream(records), "")
	if err != nil {
		t.Fatal(err)
	}
	return byOptionOf(t, read)
}

// byOptionOf are the figures by option, of any run.
func byOptionOf(t *testing.T, run *results.Run) *ByOption {
	t.Helper()
	return balanced{&settings{confidence: 0.95, repeats: 1}}.byOption(run.View(0))
}

func find(t *testing.T, all []OptionFigures, of string) OptionFigures {
	t.Helper()
	for _, f := range all {
		if f.Of == of {
			return f
		}
	}
	t.Fatalf("no %s in %+v", of, all)
	return OptionFigures{}
}

func TestFiguresByQuality(t *testing.T) {
	tables := asksAboutOptions(t)
	for _, test := range []struct {
		all      []OptionFigures
		of       string
		tpr, tnr float64
		called   int
	}{
		{tables.Kinds, "number", 0, 1, 0},
		{tables.Kinds, "formula", 1, 1, 10},
		{tables.Kinds, "phrase", 1, 1, 10},
		{tables.Kinds, "none_of_the_above", 1, 1, 10},
		{tables.Letters, "A", 0, 1, 0},
		{tables.Letters, "C", 1, 1, 10},
	} {
		f := find(t, test.all, test.of)
		if f.TPR != stats.Of(test.tpr) || f.TNR != stats.Of(test.tnr) || f.Called != test.called ||
			math.Abs(f.Balanced.Or(-1)-(test.tpr+test.tnr)/2) > 1e-12 {
			t.Errorf("%s: %+v, want TPR %g, TNR %g, %d called true", test.of, f, test.tpr, test.tnr, test.called)
		}
		if f.TPRCI.IsZero() || !f.TPRCI.Contains(test.tpr) || f.TNRCI.IsZero() || !f.TNRCI.Contains(test.tnr) || f.CI.IsZero() {
			t.Errorf("%s: intervals %v, %v, %v", test.of, f.TPRCI, f.TNRCI, f.CI)
		}
	}
	for _, part := range [][]OptionFigures{tables.Kinds, tables.Letters} {
		items, gold := 0, 0
		for _, f := range part {
			items, gold = items+f.Items, gold+f.Gold
		}
		if items != 160 || gold != 40 {
			t.Errorf("%d items, %d about right options, in %+v", items, gold, part)
		}
	}
}

func TestTasksOfOtherItemsHaveNoTables(t *testing.T) {
	h, records := journaltest.MCQ(9, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	read, err := results.Read(&h, journaltest.Stream(records), "")
	if err != nil {
		t.Fatal(err)
	}
	if tables := byOptionOf(t, read); tables != nil {
		t.Errorf("%+v", tables)
	}
}

func TestItemsWithoutAPromptAreCounted(t *testing.T) {
	h, records := journaltest.Binary(6, func(_, _, _ int) journaltest.Answer { return journaltest.Answer{Letter: "A"} })
	read, err := results.Read(&h, journaltest.Stream(records), "")
	if err != nil {
		t.Fatal(err)
	}
	tables := byOptionOf(t, read)
	if tables.Unknown != len(records) || tables.Kinds != nil || len(tables.Letters) == 0 {
		t.Errorf("%+v", tables)
	}
}
