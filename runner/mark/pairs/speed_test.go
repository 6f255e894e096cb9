package pairs

import (
	"math"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/pairs/pairstest"
)

// oneByOne has a run's records asked one after the other, each for as long as said.
func oneByOne(r *pairstest.Run, took func(item int) time.Duration) {
	r.Header.Backend.Slots = 1
	at := r.Header.History[0].Created
	for i := range r.Records {
		r.Records[i].Began, r.Records[i].Timing.Total = at, took(i)
		at = at.Add(took(i))
	}
}

// TestSpeedsAreOfTheItemsThatAllRunsAnswered has runs that each failed another item, and took long for it.
func TestSpeedsAreOfTheItemsThatAllRunsAnswered(t *testing.T) {
	know := func(int) bool { return true }
	a, b := pairstest.MCQ("Q8_0", 20, know), pairstest.MCQ("Q4_K_M", 20, know)
	for i, run := range []*pairstest.Run{&a, &b} {
		oneByOne(run, func(item int) time.Duration {
			if item == 3 || item == 7 {
				return 100 * time.Second
			}
			return []time.Duration{4 * time.Second, time.Second}[i]
		})
		failed := &run.Records[3+4*i]
		failed.Finish, failed.Cause, failed.Error, failed.Text = backends.FinishError, backends.CauseTimeout, "it took too long", ""
	}
	c := compared(t, Options{}, a, b)
	pairstest.Near(t, "of 18 items in 72 s", c.Runs[0].QuestionsPerMinute, 15)
	pairstest.Near(t, "of 18 items in 18 s", c.Runs[1].QuestionsPerMinute, 60)
	assert.Check(t, c.OtherWork == "" && math.Abs(c.Runs[1].Speed.PerMinute.Or(0)-60) > 1, "the run's own: %+v", c.Runs[1].Speed.PerMinute)
}

// TestSpeedsOfOtherWorkAreNotCompared has a run that is twice as fast, on other items or in another form.
func TestSpeedsOfOtherWorkAreNotCompared(t *testing.T) {
	knows := pairstest.Knows(1500, 0, 0)
	const form = "F16 and Q8_0 have different settings: "
	for name, test := range map[string]struct {
		change func(r *pairstest.Run)
		why    string // how it begins; empty where speeds are compared
	}{
		"the same": {func(*pairstest.Run) {}, ""},
		"a run that stopped by itself": {func(r *pairstest.Run) {
			r.Records = r.Records[:1500]
			r.Header.Selection.UntilDecided = &journal.UntilDecided{Run: "F16", Fingerprint: "f", Margin: 0.01, Alpha: 0.05}
		}, "F16 has 2,000 items and Q8_0 1,500; 1,500 are in both"},
		"shots":                      {func(r *pairstest.Run) { r.Header.Shots = 1 }, form + "shots (5 and 1)"},
		"chat":                       {func(r *pairstest.Run) { r.Header.PromptMode = "chat" }, form + "prompt_mode (raw and chat)"},
		"another cap":                {func(r *pairstest.Run) { r.Header.Sampling.MaxTokens = 99 }, form + "sampling.max_tokens"},
		"files that number the same": {func(r *pairstest.Run) { r.Header.Dataset.SHA256 = "x" }, form + "dataset.sha256"},
		"fields added to requests": {func(r *pairstest.Run) { r.Header.Backend.ExtraBody = []byte(`{"a":1}`) },
			form + `backend.extra_body (none and {"a":1})`},
		"another engine": {func(r *pairstest.Run) { r.Header.Backend.Version = "v2" }, ""},
		"another seed":   {func(r *pairstest.Run) { r.Header.Sampling.Seed++ }, ""},
		"a log, which does not say its style's version": {func(r *pairstest.Run) {
			r.Header.Style, _, _ = strings.Cut(r.Header.Style, "@")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := quick("F16", knows, 100), quick("Q8_0", knows, 50)
			test.change(&second)
			c := compared(t, Options{Force: true}, first, second)
			assert.Check(t, strings.HasPrefix(c.OtherWork, test.why) && (c.OtherWork == "") == (test.why == ""), "%q, want %q", c.OtherWork, test.why)
			for _, run := range c.Runs {
				assert.Check(t, run.Placed() == (test.why == "") && (test.why == "" || !run.Front), "%+v", run.QuestionsPerMinute)
			}
			said := c.Recommend(nil).Sentence + strings.Join(c.Recommend(nil).RestsOn, "")
			assert.Check(t, strings.Contains(said, "× as fast") == (test.why == ""), "%+v", c.Recommend(nil))
		})
	}
}

// TestNoneIsSaidNotToBeFasterWhereSpeedsAreNotCompared has the first run be the one to take, of two of one size.
func TestNoneIsSaidNotToBeFasterWhereSpeedsAreNotCompared(t *testing.T) {
	knows := pairstest.Knows(1500, 0, 0)
	for where, faster := range map[string]bool{"elsewhere": false, "": true} {
		first, second := quick("Q8_0", knows, 50), quick("Q8_0", knows, 100)
		second.Header.History[0].Host.CPU += where
		c := compared(t, Options{}, first, second)
		assert.Check(t, c.Recommend(nil).Run == c.Runs[0].Name && strings.Contains(c.Recommend(nil).Sentence, "faster") == faster,
			"%+v", c.Recommend(nil))
	}
}
