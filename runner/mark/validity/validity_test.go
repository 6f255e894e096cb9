package validity

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/results"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

func TestAScoreThatTheSetupDecidesIsNotValid(t *testing.T) {
	always := func(letter string) func(int, int, string) journaltest.Answer {
		return func(int, int, string) journaltest.Answer { return journaltest.Answer{Letter: letter} }
	}
	right := func(a journaltest.Answer, every, n int) func(int, int, string) journaltest.Answer {
		return func(q, _ int, gold string) journaltest.Answer {
			if q%every < n {
				return a
			}
			return journaltest.Answer{Letter: gold}
		}
	}
	silent, cut := journaltest.Answer{}, journaltest.Answer{Capped: true}
	binary := func(answer func(option, gold int) string) func() (journal.Header, []journal.Record) {
		return func() (journal.Header, []journal.Record) {
			return journaltest.Binary(40, func(_, option, gold int) journaltest.Answer {
				return journaltest.Answer{Letter: answer(option, gold)}
			})
		}
	}
	mcq := func(count int, say func(int, int, string) journaltest.Answer) func() (journal.Header, []journal.Record) {
		return func() (journal.Header, []journal.Record) { return journaltest.MCQ(count, say) }
	}
	changed := func(run func() (journal.Header, []journal.Record), change func(*journal.Header, *journal.Record)) func() (
		journal.Header, []journal.Record) {
		return func() (journal.Header, []journal.Record) {
			h, records := run()
			for i := range records {
				change(&h, &records[i])
			}
			return h, records
		}
	}
	for name, c := range map[string]struct {
		run  func() (journal.Header, []journal.Record)
		want string // the first line; empty of a valid score
	}{
		"right answers": {mcq(100, right(silent, 100, 0)), ""},
		"all cut":       {mcq(14, right(cut, 1, 1)), "14 of 14 answers were cut at 2,048 tokens; run again with --max-tokens 4096"},
		"all cut, and no room for more": {changed(mcq(14, right(cut, 1, 1)), func(h *journal.Header, _ *journal.Record) {
			h.Model.ContextLength = 4096
		}), "14 of 14 answers were cut at 2,048 tokens; the model's context of 4,096 tokens has no room for more"},
		"a fifth cut":      {mcq(100, right(cut, 5, 1)), ""},
		"more than that":   {mcq(100, right(cut, 4, 1)), "25 of 100 answers were cut at 2,048 tokens; "},
		"cut after an end": {mcq(100, right(journaltest.Answer{Letter: "A", Capped: true}, 2, 1)), ""},
		"cut, by a rule that would have read on": {changed(mcq(100, right(journaltest.Answer{Letter: "A", Capped: true}, 2, 1)),
			func(h *journal.Header, _ *journal.Record) { h.RuleSet = "agi-evals" }), "50 of 100 answers were cut at 2,048 tokens; "},
		"cut by a loop": {changed(mcq(100, right(journaltest.Answer{Letter: "A", Capped: true}, 2, 1)),
			func(h *journal.Header, r *journal.Record) {
				if h.RuleSet = "agi-evals"; r.Cause != "" {
					r.Cause = backends.CauseLoop
				}
			}), ""},
		"loops without an answer": {changed(mcq(100, right(cut, 2, 1)), func(_ *journal.Header, r *journal.Record) {
			if r.Cause != "" {
				r.Cause = backends.CauseLoop
			}
		}), ""},
		"a quarter by the weakest rule": {changed(mcq(100, right(silent, 4, 1)), func(_ *journal.Header, r *journal.Record) {
			if !strings.Contains(r.Text, "answer is") {
				r.Text = "It is vitamin D"
			}
		}), "25 of 100 answers are found by last-capital alone, the weakest rule; `proctor report RUN --items --tag " +
			"weakest-rule`"},
		"a fifth by the weakest rule": {changed(mcq(100, right(silent, 5, 1)), func(_ *journal.Header, r *journal.Record) {
			if !strings.Contains(r.Text, "answer is") {
				r.Text = "It is vitamin D"
			}
		}), ""},
		"a quarter contradict themselves": {changed(mcq(100, right(silent, 4, 1)), func(_ *journal.Header, r *journal.Record) {
			if !strings.Contains(r.Text, "answer is") {
				r.Text = "The answer is (A). No: the answer is (B)."
			}
		}), "25 of 100 answers are of completions that give two letters; see with `proctor show RUN ID` which one the model means"},
		"no answer to a raw prompt, of a file without a template": {mcq(100, right(silent, 4, 1)), "letter in them: `proctor show RUN ID` shows"},
		"no answer to a raw prompt, of a chat model": {changed(mcq(100, right(silent, 4, 1)), func(h *journal.Header, _ *journal.Record) {
			h.Model.ChatTemplateSHA256 = "00"
		}), "; ask a chat model with --prompt chat"},
		"a fifth silent": {mcq(100, right(silent, 5, 1)), ""},
		"more silent":    {mcq(100, right(silent, 4, 1)), "25 of 100 completions have no answer; no rule set finds a letter in them: "},
		"5 % failed":     {mcq(100, right(journaltest.Answer{Failed: backends.CauseTimeout}, 20, 1)), ""},
		"more failed": {mcq(100, right(journaltest.Answer{Failed: backends.CauseTimeout}, 10, 1)),
			"10 of 100 items failed, most often: out of time (TIMEOUT); raise --timeout"},
		"one of ten failed": {mcq(10, right(journaltest.Answer{Failed: backends.CauseTimeout}, 10, 1)), ""},
		"truncated": {mcq(100, right(journaltest.Answer{Failed: backends.CauseTruncated}, 10, 1)),
			"10 of 100 items failed, most often: too long for the context (CTX_TRUNCATED); lower --max-tokens"},
		"A whatever is asked": {mcq(100, always("A")), "100 of 100 answers are A, whatever the question; "},
		"A, of few":           {mcq(20, always("A")), ""},
		"A, and it is right":  {changed(mcq(100, always("A")), func(_ *journal.Header, r *journal.Record) { r.Gold = "A" }), ""},
		"A very often":        {mcq(100, right(journaltest.Answer{Letter: "A"}, 4, 3)), ""},
		"always true":         {binary(func(int, int) string { return "A" }), "answers are A, whatever the question; "},
		"always false":        {binary(func(int, int) string { return "B" }), "answers are B, whatever the question; "},
		"hardly ever true": {binary(func(option, gold int) string {
			if option == gold && gold == 0 {
				return "A"
			}
			return "B"
		}), ""},
		"echoes": {changed(mcq(100, right(silent, 4, 1)), func(h *journal.Header, r *journal.Record) {
			again := strings.Repeat("Reason, then say the letter. ", 9)
			h.Preambles = map[string]string{"biology": again, "law": again, "math": again}
			if !strings.Contains(r.Text, "answer is") {
				r.Text = again + "The answer is (A)."
			}
		}), "25 of 100 completions repeat their prompts; switch off the server's echo of prompts"},
		"thinking that did not end": {changed(mcq(100, right(silent, 10, 1)), func(h *journal.Header, r *journal.Record) {
			if h.Strip = true; !strings.Contains(r.Text, "answer is") {
				r.Text = "<think>so far"
			}
		}), "10 of 100 answers did not end thinking, though they ended; run again with --think off"},
		"thinking that was cut": {changed(mcq(100, right(cut, 4, 1)), func(h *journal.Header, r *journal.Record) {
			if h.Strip = true; !strings.Contains(r.Text, "answer is") {
				r.Text = "<think>so far"
			}
		}), "25 of 100 answers were cut at 2,048 tokens; run again with --think-budget 4096 or --max-tokens 4096, or with --think off"},
	} {
		h, records := c.run()
		if h.Model.ContextLength == 4096 && !strings.Contains(name, "no room") {
			h.Model.ContextLength = 8192
		}
		run, err := results.Open(journaltest.Keep(t, t.TempDir(), h, records), "")
		assert.NilError(t, err)
		r := Of(run)
		got := r.String()
		if name == "echoes" && len(r.Reasons) > 1 {
			t.Errorf("%s have other reasons, too: %q", name, r.Others())
		}
		if r.Valid != (c.want == "") || !strings.Contains(got, c.want) || c.want != "" && !strings.HasPrefix(got, "Not a valid score: ") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestASettingOfThinkingThatIsNotHeededIsCounted(t *testing.T) {
	for name, c := range map[string]struct {
		think, text string
		budgets     []int
		items       int
		want        string // nothing where it was heeded
	}{
		"off, and some think": {"off", "<think>Hm.</think>The answer is (A).", nil, 14,
			"--think off was not heeded: 7 of 14 completions show thinking; switch it off at the server"},
		"off, and the marks are empty": {"off", "<think>\n\n</think>The answer is (A).", nil, 14, ""},
		"left to the model":            {"", "<think>Hm.</think>The answer is (A).", nil, 14, ""},
		"on, and some think":           {"on", "<think>Hm.</think>The answer is (A).", nil, 14, ""},
		"on, and none does": {"on", "The answer is (A).", nil, 14,
			"--think on changed nothing that shows: none of 14 completions has thinking; the model does not think, or its server"},
		"on, of too few":         {"on", "The answer is (A).", nil, 7, ""},
		"a budget, and none":     {"", "The answer is (A).", []int{16, 64}, 8, "--think-budget changed nothing that shows: none of 8 "},
		"on with no tokens":      {"on", "The answer is (A).", []int{0}, 14, ""},
		"on, and all were cut":   {"on", "Hm", nil, 14, ""},
		"of letters alone, none": {"on", "A", nil, 14, ""},
	} {
		h, records := journaltest.MCQ(c.items, func(int, int, string) journaltest.Answer {
			return journaltest.Answer{Letter: "A", Capped: c.text == "Hm"}
		})
		h.Strip, h.Think, h.Budgets = true, c.think, c.budgets
		if c.text == "A" {
			h.Direct = &journal.Direct{}
		}
		for i := 0; i < len(records); i += 2 {
			records[i].Text = c.text
		}
		run, err := results.Open(journaltest.Keep(t, t.TempDir(), h, records), "")
		assert.NilError(t, err)
		got := ""
		if why := Of(run).Unheeded; why != nil {
			got = why.String()
		}
		assert.Check(t, (got == "") == (c.want == "") && strings.HasPrefix(got, c.want), "%s: %q, want %q", name, got, c.want)
	}
}
