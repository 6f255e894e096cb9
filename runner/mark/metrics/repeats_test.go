package metrics

import (
	"fmt"
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/stats"
)

// A model that always says the same gets the same score however often it is asked, and no narrower an interval.
func TestARepeatedRunWithoutNoiseScoresAsASingleOne(t *testing.T) {
	for name, run := range journaltest.Examples() {
		if name == "repeats" {
			continue
		}
		h, records := run()
		for i := range records { // an error would leave questions out in both, but not alike
			if records[i].Failed() {
				records[i].Finish, records[i].Cause, records[i].Text = backends.FinishStop, "", "no idea"
			}
		}
		once := mustBuild(t, h, records, Options{})
		h, records = journaltest.Again(h, records, 3, nil)
		thrice := mustBuild(t, h, records, Options{})
		round := func(figures ...stats.Number) (text string) {
			for _, x := range figures {
				text += fmt.Sprintf(" %.12g", x.Or(math.NaN()))
			}
			return text
		}
		figures := func(r *Summary) string {
			text := round(r.Headline.Value, r.Accuracy, r.AccuracyAnswered, r.MacroAccuracy, r.Baseline.Expected, r.ChanceCorrected)
			if b := r.Binary; b != nil {
				text += round(b.BalancedAccuracy, b.SE, b.TPR, b.TNR, b.MCC, b.F1, b.Exact, b.ExactChance, b.GoldOnly,
					b.NoTrue, b.SeveralTrue)
			}
			if c := r.Circular; c != nil {
				for _, m := range c.Metrics {
					text += m.Name + round(m.Value)
				}
				text += round(c.QuestionMean, c.QuestionMeanSE)
			}
			return text
		}
		if a, b := figures(once), figures(thrice); a != b {
			t.Errorf("%s: asked once\n%s\nasked three times\n%s", name, a, b)
		}
		p := thrice.Repeats
		assert.Check(t, p.Noise.Or(1) == 0 && p.Flips.Or(1) == 0 && p.Changed.Or(1) == 0 && p.RunSD.Or(1) == 0,
			"%s: noise where there is none: %+v", name, p)
		a, b := once.Headline.CI, thrice.Headline.CI
		wide, narrow := a.High-a.Low, b.High-b.Low
		assert.Check(t, narrow >= 0.9*wide, "%s: asking again narrowed the interval from %g to %g", name, wide, narrow)
	}
}

func TestNoAnswerIsNoVote(t *testing.T) {
	h, records := journaltest.MCQ(4, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	h, records = journaltest.Again(h, records, 3, func(repeat int, r *journal.Record) {
		switch {
		case repeat == 1:
		case r.QuestionID == 100: // gold once, no answer twice
			r.Text = "it is hard to say"
		case r.QuestionID == 101: // gold once, another letter twice
			r.Text = "the answer is (" + map[bool]string{true: "B", false: "A"}[r.Gold == "A"] + ")"
		}
	})
	p := mustBuild(t, h, records, Options{}).Repeats
	near(t, "majority vote", p.Vote, 3.0/4)
	near(t, "noise floor", p.Noise, 2.0/4)
	assert.Check(t, p.NoiseCI.Method == "wilson, widened" && p.VoteCI.Method == "wilson, widened",
		"one item a question: %q, %q", p.NoiseCI.Method, p.VoteCI.Method)
}
