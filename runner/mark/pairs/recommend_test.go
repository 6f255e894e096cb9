package pairs

import (
	"math"
	"strings"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/mark/pairs/pairstest"
)

func TestARecommendationIsWhatIsShown(t *testing.T) {
	whole := pairstest.MCQ("F16", 2000, pairstest.Knows(1500, 0, 0))
	for name, test := range map[string]struct {
		first  pairstest.Run
		others []pairstest.Run
		run    string
		says   string
		open   []string
	}{
		"the smallest that is not worse": {
			whole, []pairstest.Run{pairstest.MCQ("Q8_0", 2000, pairstest.Knows(1500, 0, 0)), pairstest.MCQ("Q4_K_M", 2000, pairstest.Knows(1500, 10, 12))},
			"Q4_K_M", "Q4_K_M: not worse than F16 by more than 1.0 pp, 70 % smaller", nil,
		},
		"not a smaller one that is worse": {
			whole, []pairstest.Run{pairstest.MCQ("Q8_0", 2000, pairstest.Knows(1500, 0, 0)), pairstest.MCQ("Q4_K_M", 2000, pairstest.Knows(1500, 0, 100))},
			"Q8_0", "Q8_0: not worse than F16", []string{"Q4_K_M: worse than F16 by 5.0 pp ("},
		},
		"nor one that is open": {
			whole, []pairstest.Run{pairstest.MCQ("Q8_0", 2000, pairstest.Knows(1500, 0, 0)), pairstest.MCQ("Q4_K_M", 2000, pairstest.Knows(1500, 0, 18))},
			"Q8_0", "Q8_0: not worse than F16", []string{"Q4_K_M: worse than F16 by 0.9 pp ("},
		},
		"nothing is shown": {
			pairstest.MCQ("F16", 60, pairstest.Knows(50, 0, 0)), []pairstest.Run{pairstest.MCQ("Q4_K_M", 60, pairstest.Knows(50, 3, 4))},
			"", "no recommendation: none is shown not to be worse than F16 by more than 1.0 pp",
			[]string{"Q4_K_M: undecided, 9.4 pp worse to 5.1 pp better; about 1,400 fresh questions would decide it"},
		},
		"a model that guesses cannot get worse": {
			pairstest.MCQ("F16", 2000, pairstest.Knows(500, 0, 0)), []pairstest.Run{pairstest.MCQ("Q4_K_M", 2000, pairstest.Knows(500, 0, 0))},
			"", "no recommendation: F16 is not shown to be better than guessing", nil,
		},
		"nor do more questions show that it does": {
			pairstest.MCQ("F16", 60, pairstest.Knows(15, 0, 0)), []pairstest.Run{pairstest.MCQ("Q4_K_M", 60, pairstest.Knows(15, 3, 4))},
			"", "no recommendation: F16 is not shown to be better than guessing", nil,
		},
		"a larger one is no gain": {
			pairstest.MCQ("Q4_K_M", 2000, pairstest.Knows(1500, 0, 0)), []pairstest.Run{pairstest.MCQ("Q8_0", 2000, pairstest.Knows(1500, 0, 0))},
			"Q4_K_M", "Q4_K_M: no run that is shown not to be worse", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := compared(t, Options{Recommend: true}, append([]pairstest.Run{test.first}, test.others...)...)
			r := c.Recommendation
			if _, questions := c.Undecided(); strings.Contains(r.Sentence, "no loss can be measured") && questions > 0 {
				t.Errorf("%s, and yet %d questions would decide", r.Sentence, questions)
			}
			if r.Run != test.run || !strings.HasPrefix(r.Sentence, test.says) || len(r.Open) != len(test.open) {
				t.Fatalf("%+v", r)
			}
			for i, open := range test.open {
				if !strings.HasPrefix(r.Open[i], open) {
					t.Errorf("%q, want %q…", r.Open[i], open)
				}
			}
		})
	}
}

// TestManyPairsNeedWiderIntervals has one run whose loss is just ruled out alone, and is not among three: by the pair's
// interval as by the recommendation.
func TestManyPairsNeedWiderIntervals(t *testing.T) {
	first, same := pairstest.MCQ("F16", 1100, pairstest.Knows(800, 0, 0)), pairstest.MCQ("Q8_0", 1100, pairstest.Knows(800, 0, 0))
	lossy := pairstest.MCQ("Q4_K_M", 1100, pairstest.Knows(800, 0, 4))
	alone := compared(t, Options{Recommend: true}, first, lossy)
	if alone.Recommendation.Run != "Q4_K_M" || strings.Contains(alone.Recommendation.RestsOn[0], "Bonferroni") {
		t.Errorf("alone: %+v", alone.Recommendation)
	}
	third := pairstest.MCQ("Q8_0", 1100, pairstest.Knows(800, 0, 0))
	third.Header.Model.Quantization, third.Header.Model.SizeBytes = "Q6_K", 90<<20
	several := compared(t, Options{Recommend: true}, first, same, third, lossy)
	r, pair := several.Recommendation, several.Pairs[2]
	if r.Run != "Q6_K" || len(r.Open) != 1 || !strings.HasPrefix(r.Open[0], "Q4_K_M: undecided") ||
		r.Questions <= 1100 || !strings.Contains(r.RestsOn[0], "98.33 % interval") {
		t.Errorf("among three: %+v", r)
	}
	if pair.Decision != Undecided || pair.ShownNotWorse() || pair.ToDecide != r.Questions ||
		math.Abs(pair.CI.Confidence-(1-0.05/3)) > 1e-12 {
		t.Errorf("%s by its own interval of %g, %d questions and %d", pair.Decision, pair.CI.Confidence, pair.ToDecide, r.Questions)
	}
}

// TestARunThatStoppedByItselfIsJudgedByWhatStoppedIt has intervals that are not valid where one stopped because of them.
func TestARunThatStoppedByItselfIsJudgedByWhatStoppedIt(t *testing.T) {
	margin := 0.01
	ended := func(decision string) Comparison {
		first, second := pairstest.MCQ("F16", 60, pairstest.Knows(50, 0, 0)), pairstest.MCQ("Q4_K_M", 60, pairstest.Knows(50, 0, 1))
		c := compared(t, Options{Recommend: true}, first, second)
		second.Header.Selection.UntilDecided = &journal.UntilDecided{
			Run: "F16", Fingerprint: c.Runs[0].Marked.Header.Fingerprint, Margin: margin, Alpha: 0.05,
		}
		c.Runs[1].Marked.Header.Selection = second.Header.Selection
		c.Runs[1].Marked.Interims = []journal.Interim{{Decision: decision, After: 42, Confidence: 0.95}}
		again, err := comparison(c.Runs, Options{Recommend: true, Margin: 0.01, Confidence: 0.95})
		if err != nil {
			t.Fatal(err)
		}
		return *again
	}
	for decision, want := range map[string]struct {
		recommended string
		decision    Decision
		says        string
	}{
		"not_worse": {"Q4_K_M", NotWorse, "Q4_K_M is at most 1.0 pp worse than F16 on this set of questions: decided after 42 questions"},
		"better":    {"Q4_K_M", Better, "Q4_K_M is better than F16 on this set of questions"},
		"worse":     {"", Worse, "Q4_K_M is worse than F16 on this set of questions"},
	} {
		c := ended(decision)
		r, p := c.Recommendation, c.Pairs[0]
		if r.Run != want.recommended || !strings.Contains(strings.Join(append(r.RestsOn, r.Open...), " "), "after 42 questions") {
			t.Errorf("%s: %+v", decision, r)
		}
		if p.Decision != want.decision || p.ShownNotWorse() != (want.recommended != "") || p.ShownWorse() == p.ShownNotWorse() ||
			p.Advice != "" || !strings.HasPrefix(c.Verdict, want.says) {
			t.Errorf("%s: %s, %s", decision, p.Decision, c.Verdict)
		}
	}
	margin = 0.02
	if c := ended("not_worse"); c.Pairs[0].Decision != Undecided || c.Recommendation.Run != "" {
		t.Errorf("not worse by two points says nothing of one: %+v", c.Recommendation)
	}
}
