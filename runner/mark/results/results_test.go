package results

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/stats"
)

func read(t *testing.T, h journal.Header, records []journal.Record) *Run {
	t.Helper()
	run, err := Open(journaltest.Keep(t, t.TempDir(), h, records), "")
	assert.NilError(t, err)
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
	for _, lines := range [][]journal.Record{records, journaltest.Shuffled(records)} {
		v := read(t, h, lines).View(0)
		got := v.Tally()
		assert.Check(t, got.Items == 9 && got.Questions == 9 && got.Errors == 1, "%+v", got)
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
}

func TestViewsFallIntoSubjectsQuestionsAndRepeats(t *testing.T) {
	h, records := journaltest.Binary(4, func(_, option, gold int) journaltest.Answer {
		return journaltest.Answer{Letter: map[bool]string{true: "A", false: "B"}[option == gold]}
	})
	h, records = journaltest.Again(h, records, 3, nil)
	v := read(t, h, records).View(0)
	subjects, questions, repeats := len(slices.Collect(v.Subjects())), len(slices.Collect(v.Questions())), len(slices.Collect(v.Repeats()))
	assert.Check(t, subjects == 2 && questions == 4 && repeats == 12 && v.Tally().Questions == 4,
		"%d subjects, %d questions, %d repeats", subjects, questions, repeats)
	if first := v.FirstRepeat(); 3*len(first.Items) != len(v.Items) || !first.Tally().AllRight() {
		t.Errorf("%d of %d items in the first repeat", len(first.Items), len(v.Items))
	}
}

func TestKinds(t *testing.T) {
	for kind, texts := range map[Kind][]string{
		NoneOfThem: {"None of the above", "none of these.", "Neither of these", "None of the other options are correct", "No correct answer", "none"},
		AllOfThem:  {"All of the above", "Both of these", "all of these.", "All the above", "All of them"},
		Number: {
			"5", "-488°F", "$45,600", "80%", "0.081 liter/mole", "3.45 × 10^-21 J", "1.99 x 10^10 cm/sec", "70.9 g mole^-1", "7 days", "1/2",
			"10 amp", "19.4 in.", "6.02e23", "$ 1,200.50", "about 12 years", "< 0.05", "2.0 $\\mathrm{~m}$", "9.5 $\\mathrm{L}/\\mathrm{min}$",
			"-2.95 kJ mol^{-1}", "8 $\\mu \\mathrm{T}$", "±3", "−5 m/s",
		},
		Formula: {
			"x + y + 5", "[2, 4]", "2e^t - 2 cos t + sin t", "g_m = (1/4)g_e, 15 ft", "(S • ~O) ⊃ Z", "f(x)", "E = mc^2", "$439.00, $459.00, $424.00",
			"O = 32, A = 0", "(1, 0, -2)", "\\frac{1}{2}x", "1,000–2,000", "a+b",
		},
		Sentence: {
			"Stars are smaller than planets.", "Men and women lose hair equally and at the same rate",
			"Is there any reason to believe this?", "neither the tires nor the bicycles.",
		},
		Phrase: {
			"task analysis", "I only", "extraversion", "Feedback.", "Only II and III", "five", "South America", "The bond, by 2.0%",
			"anti parallel.", "Safe practices, Fear, Jealousy, Trivial", "Both men and women", "Nonebelievers", "All mammals",
		},
	} {
		for _, text := range texts {
			if got := KindOf(text); got != kind {
				t.Errorf("%q is a %s, want %s", text, got, kind)
			}
			if got := KindOf("  " + text + " "); got != kind {
				t.Errorf("%q with spaces around is a %s, want %s", text, got, kind)
			}
		}
	}
}

func TestTheOptionIsFoundInThePrompt(t *testing.T) {
	const asks = "Question:\nIs 12 km the correct answer to the question: 'Is 5 the correct answer to the question: 'x'?'?\nOptions:\nA. True\n"
	for name, test := range map[string]struct {
		record journal.Record
		want   Kind
	}{
		"in a prompt": {journal.Record{OptionsOriginal: 4, Prompt: asks}, Number},
		"in a question": {
			journal.Record{OptionsOriginal: 4, Question: "Is µ = 3 the correct answer to the question: 'x'?"}, Formula,
		},
		"of two lines": {
			journal.Record{OptionsOriginal: 4, Prompt: "Q: Is law\nor war the correct answer to the question: 'x'?"}, Phrase,
		},
		"in MMLU-Pro-Max's words": {
			journal.Record{OptionsOriginal: 4, Prompt: "Question: What is Answer: a?\nAnswer: 12 km\nLet’s think step by step "}, Number,
		},
		"no true-or-false item":  {journal.Record{Prompt: asks}, UnknownKind},
		"in other words":         {journal.Record{OptionsOriginal: 4, Prompt: "Would 12 be right?"}, UnknownKind},
		"without an option":      {journal.Record{OptionsOriginal: 4, Prompt: "Is  the correct answer to the question: 'x'?"}, UnknownKind},
		"prompt that isn't kept": {journal.Record{OptionsOriginal: 4}, UnknownKind},
	} {
		assert.Check(t, is.Equal(optionKind(&test.record), test.want), "%s", name)
	}
}

func TestALetterTakesOverWhereItIsPickedFarMoreOftenThanGold(t *testing.T) {
	for name, test := range map[string]struct {
		gold, picked []float64 // of A, B, …
		want         string
	}{
		"all the same letter":             {[]float64{0.25, 0.25, 0.25, 0.25}, []float64{0, 1, 0, 0}, "B"},
		"mostly the same":                 {[]float64{0.1, 0.1, 0.8}, []float64{0.6, 0.2, 0.2}, "A"},
		"an even spread":                  {[]float64{0.25, 0.25, 0.25, 0.25}, []float64{0.3, 0.2, 0.25, 0.25}, ""},
		"Binary's items, which are False": {[]float64{0.1, 0.9}, []float64{0, 1}, ""},
		"half":                            {[]float64{0.2, 0.8}, []float64{0.5, 0.5}, ""},
	} {
		var counts []Letter
		for i := range test.gold {
			counts = append(counts, Letter{Letter: string(rune('A' + i)), GoldShare: stats.Of(test.gold[i]), PickedShare: stats.Of(test.picked[i])})
		}
		got, over := TakesOver(counts)
		assert.Check(t, got.Letter == test.want && over == (test.want != ""), "%s: %q, %v", name, got.Letter, over)
	}
}
