package samplesize

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/ask"
	"proctor/runner/ask/budget"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/pairs"
	"proctor/scripts/tests/errortest"
)

// kept writes a run of n questions, each answered as say has it, and returns its path.
func kept(t *testing.T, n int, say func(q int, gold string) journaltest.Answer) string {
	t.Helper()
	h, records := journaltest.MCQ(n, func(q, _ int, gold string) journaltest.Answer { return say(q, gold) })
	return journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records)
}

// rightOf answers the questions right whose number modulo 10 is below so many, the others wrong.
func rightOf(tenths int) func(int, string) journaltest.Answer {
	return func(q int, gold string) journaltest.Answer {
		if q%10 < tenths {
			return journaltest.Answer{Letter: gold}
		}
		if gold == "A" {
			return journaltest.Answer{Letter: "B"}
		}
		return journaltest.Answer{Letter: "A"}
	}
}

func TestARunThatDoesNotWorkIsNoBase(t *testing.T) {
	for name, test := range map[string]struct {
		say  func(int, string) journaltest.Answer
		want string // the error's
	}{
		"one that works":  {rightOf(6), ""},
		"no answers":      {func(int, string) journaltest.Answer { return journaltest.Answer{} }, "no answer to any of 400 items"},
		"all wrong":       {rightOf(0), "less than guessing"},
		"one in 20 right": {func(q int, gold string) journaltest.Answer { return rightOf(10*(q%20/19))(q, gold) }, "less than guessing"},
	} {
		base, err := BaseOf(kept(t, 400, test.say))
		if err == nil {
			_, err = base.Expected()
		}
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
	base, err := BaseOf(kept(t, 400, rightOf(6)))
	assert.NilError(t, err)
	got, err := base.Expected()
	assert.Check(t, err == nil && got == 0.6, "expected %g, %v; want 0.6", got, err)
}

func TestAPlanReckonsWithTheRunsOwnTokensAndTime(t *testing.T) {
	h, records := journaltest.MCQ(100, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	h.Preambles = map[string]string{}
	for i := range records {
		h.Preambles[records[i].Subject] = strings.Repeat("é", 300) // a character each, not a byte
		records[i].Prompt = strings.Repeat("x", 100)
		records[i].Usage.PromptTokens, records[i].Usage.ReusedTokens = 200, 100
	}
	records[0].Prompt = "" // of an imported log
	base, err := BaseOf(journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records))
	assert.NilError(t, err)
	assert.Check(t, is.Equal(base.Pace.CharsPerToken, 2.0))
	pace := Pace{Prefill: 100, Decode: 10, Output: budget.Length{Tokens: 5, Low: 5, High: 5}, Efficiency: 0.8}
	plan := New("mmlu_pro", "sample", Aim{}, Size{}, 1, Prompts{Cost: ask.Cost{Items: 20, SharedTokens: 1000}}, pace)
	assert.Check(t, is.Equal(plan.Time.Seconds.Or(0), 25.0))
}

func TestDiscordanceIsTheShareOfFlips(t *testing.T) {
	a, b := kept(t, 400, rightOf(6)), kept(t, 400, func(q int, gold string) journaltest.Answer {
		return rightOf(6)((q+2)%10, gold) // right where q modulo 10 is 0 to 3, 8 or 9
	})
	got, err := DiscordanceOf(a, b)
	assert.Check(t, err == nil && math.Abs(got-0.4) <= 1e-12, "%g, %v; want 0.4", got, err)
	c, err := pairs.Of([]string{a, b}, pairs.Options{})
	assert.Check(t, err == nil && math.Abs(c.Pairs[0].Flips.Or(9)-got) <= 1e-12,
		"compare tells %v flips, %v", c.Pairs[0].Flips, err)
	_, err = DiscordanceOf(a, a)
	errortest.For(t, "a run and itself", err, "same mark on all 400 questions")
}
