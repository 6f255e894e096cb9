package compare

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"proctor/runner/journal"
)

// knows is a model that is right but for the questions from so many on, and those between two numbers.
func knows(upTo, from, to int) func(q int) bool {
	return func(q int) bool { return q < upTo && (q < from || q >= to) }
}

func TestARecommendationIsWhatIsShown(t *testing.T) {
	whole := mcqRun("F16", 2000, knows(1500, 0, 0))
	for name, test := range map[string]struct {
		first  testRun
		others []testRun
		run    string
		says   string
		open   []string
	}{
		"the smallest that is not worse": {
			whole, []testRun{mcqRun("Q8_0", 2000, knows(1500, 0, 0)), mcqRun("Q4_K_M", 2000, knows(1500, 10, 12))},
			"Q4_K_M", "Q4_K_M: not worse than F16 by more than 1.0 pp, 70 % smaller", nil,
		},
		"not a smaller one that is worse": {
			whole, []testRun{mcqRun("Q8_0", 2000, knows(1500, 0, 0)), mcqRun("Q4_K_M", 2000, knows(1500, 0, 100))},
			"Q8_0", "Q8_0: not worse than F16", []string{"Q4_K_M: worse than F16 by 5.0 pp ("},
		},
		"nor one that is open": {
			whole, []testRun{mcqRun("Q8_0", 2000, knows(1500, 0, 0)), mcqRun("Q4_K_M", 2000, knows(1500, 0, 18))},
			"Q8_0", "Q8_0: not worse than F16", []string{"Q4_K_M: worse than F16 by 0.9 pp ("},
		},
		"nothing is shown": {
			mcqRun("F16", 60, knows(50, 0, 0)), []testRun{mcqRun("Q4_K_M", 60, knows(50, 3, 4))},
			"", "no recommendation: none is shown not to be worse than F16 by more than 1.0 pp",
			[]string{"Q4_K_M: undecided, 9.4 pp worse to 5.1 pp better; about 1,400 questions would decide it"},
		},
		"a model that guesses cannot get worse": {
			mcqRun("F16", 2000, knows(500, 0, 0)), []testRun{mcqRun("Q4_K_M", 2000, knows(500, 0, 0))},
			"", "no recommendation: F16 is not shown to be better than guessing", nil,
		},
		"a larger one is no gain": {
			mcqRun("Q4_K_M", 2000, knows(1500, 0, 0)), []testRun{mcqRun("Q8_0", 2000, knows(1500, 0, 0))},
			"Q4_K_M", "Q4_K_M: no run that is shown not to be worse", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := compared(t, Options{Recommend: true}, append([]testRun{test.first}, test.others...)...).Recommendation
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
	first, same := mcqRun("F16", 1100, knows(800, 0, 0)), mcqRun("Q8_0", 1100, knows(800, 0, 0))
	lossy := mcqRun("Q4_K_M", 1100, knows(800, 0, 4))
	alone := compared(t, Options{Recommend: true}, first, lossy)
	if alone.Recommendation.Run != "Q4_K_M" || strings.Contains(alone.Recommendation.RestsOn[0], "Bonferroni") {
		t.Errorf("alone: %+v", alone.Recommendation)
	}
	third := mcqRun("Q8_0", 1100, knows(800, 0, 0))
	third.header.Model.Quantization, third.header.Model.SizeBytes = "Q6_K", 90<<20
	several := compared(t, Options{Recommend: true}, first, same, third, lossy)
	r, pair := several.Recommendation, several.Pairs[2]
	if r.Run != "Q6_K" || len(r.Open) != 1 || !strings.HasPrefix(r.Open[0], "Q4_K_M: undecided") ||
		r.Questions <= 1100 || !strings.Contains(r.RestsOn[0], "98.33 % interval") {
		t.Errorf("among three: %+v", r)
	}
	if pair.Decision != Undecided || pair.ShownNotWorse() || pair.Advice.Questions != r.Questions ||
		math.Abs(pair.CI.Confidence-(1-0.05/3)) > 1e-12 {
		t.Errorf("%s by its own interval of %g, %d questions and %d", pair.Decision, pair.CI.Confidence, pair.Advice.Questions, r.Questions)
	}
}

// TestARunThatStoppedByItselfIsJudgedByWhatStoppedIt has intervals that are not valid where one stopped because of them.
func TestARunThatStoppedByItselfIsJudgedByWhatStoppedIt(t *testing.T) {
	margin := 0.01
	ended := func(decision string) Comparison {
		first, second := mcqRun("F16", 60, knows(50, 0, 0)), mcqRun("Q4_K_M", 60, knows(50, 0, 1))
		c := compared(t, Options{Recommend: true}, first, second)
		second.header.Selection.UntilDecided = &journal.UntilDecided{
			Run: "F16", Fingerprint: c.Runs[0].results.Header.Fingerprint, Margin: margin, Alpha: 0.05,
		}
		c.Runs[1].results.Header.Selection = second.header.Selection
		c.Runs[1].results.Interims = []journal.Interim{{Decision: decision, After: 42, Confidence: 0.95}}
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
			p.Advice != nil || !strings.HasPrefix(c.Verdict, want.says) {
			t.Errorf("%s: %s, %s", decision, p.Decision, c.Verdict)
		}
	}
	margin = 0.02
	if c := ended("not_worse"); c.Pairs[0].Decision != Undecided || c.Recommendation.Run != "" {
		t.Errorf("not worse by two points says nothing of one: %+v", c.Recommendation)
	}
}

func TestGoldenRecommendation(t *testing.T) {
	options := Options{Recommend: true, Names: []string{"whole", "half", "quarter"}, Notices: []string{"Q2_K is not compared: no room"}}
	c := compared(t, options,
		mcqRun("F16", 1000, knows(800, 0, 0)), mcqRun("Q8_0", 1000, knows(800, 0, 0)), mcqRun("Q4_K_M", 1000, knows(800, 0, 3)))
	for _, format := range figures {
		var out bytes.Buffer
		if err := format.Write(&out, c); err != nil {
			t.Fatal(err)
		}
		golden.Assert(t, out.String(), "recommended"+format.Ext)
	}
}
