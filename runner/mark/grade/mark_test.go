package grade_test

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
	"proctor/scripts/tests/errortest"
)

// An item has the parts of a record and its run's header that a rule set reads.
type item struct {
	Text    string
	Options int
	Gold    string
	Stop    []string
	Strip   bool
	Finish  backends.Finish
	Cause   backends.Cause
	Stopped string // the stop string that ended it
}

func mark(set grade.RuleSet, it item) grade.Mark {
	return set.Mark(
		&journal.Header{Strip: it.Strip, Setup: journal.Setup{Sampling: journal.Sampling{Stop: it.Stop}}},
		&journal.Record{Text: it.Text, Options: it.Options, Gold: it.Gold, Finish: it.Finish, Stop: it.Stopped, Cause: it.Cause})
}

func TestEachItemGetsTheTagAndCauseItDeserves(t *testing.T) {
	const right, wrong = "the answer is (B)", "the answer is (C)"
	for _, c := range []struct {
		name  string
		item  item
		tag   grade.Tag
		cause backends.Cause
	}{
		{name: "a right answer has neither", item: item{Text: right}},
		{name: "a right answer that hit the cap", item: item{Text: right, Finish: backends.FinishLength, Cause: backends.CauseLength},
			cause: backends.CauseLength},
		{name: "a right answer before a loop", item: item{Text: right + strings.Repeat("\nSo it is, as we have seen, and as we will see.", 12),
			Finish: backends.FinishLength}, cause: backends.CauseLoop},
		{name: "a loop that the model left by itself", item: item{Text: strings.Repeat("\nSo it is, as we have seen, and as we will see.", 12)},
			tag: grade.NoAnswer, cause: backends.CauseNoLetter},
		{name: "a wrong answer", item: item{Text: wrong}, tag: grade.WrongAnswer},
		{name: "a wrong answer that hit the cap", item: item{Text: wrong, Finish: backends.FinishLength}, tag: grade.WrongAnswer,
			cause: backends.CauseLength},
		{name: "no answer", item: item{Text: "hm"}, tag: grade.NoAnswer, cause: backends.CauseNoLetter},
		{name: "nothing but space", item: item{Text: " \n"}, tag: grade.NoAnswer, cause: backends.CauseEmpty},
		{name: "no letter before a stop string", item: item{Text: "**Restate the ", Stopped: "Question:"}, tag: grade.NoAnswer,
			cause: backends.CauseStop},
		{name: "nothing before a stop string", item: item{Text: "\n", Stopped: "Question:"}, tag: grade.NoAnswer, cause: backends.CauseStop},
		{name: "an answer before a stop string", item: item{Text: right, Stopped: "Question:"}},
		{name: "a stop string within thinking", item: item{Text: "<think>the ", Strip: true, Stopped: "Question:"}, tag: grade.NoAnswer,
			cause: backends.CauseThinkUnclosed},
		{name: "no answer because the cap was hit", item: item{Text: "hm", Finish: backends.FinishLength}, tag: grade.NoAnswer,
			cause: backends.CauseLength},
		{name: "no answer because the model looped", item: item{Text: "<think>hm hm hm", Strip: true, Finish: backends.FinishLength,
			Cause: backends.CauseLoop},
			tag: grade.NoAnswer, cause: backends.CauseLoop},
		{name: "thinking that never ended explains a full cap",
			item: item{Text: "<think>" + right, Strip: true, Finish: backends.FinishLength, Cause: backends.CauseLength},
			tag:  grade.NoAnswer, cause: backends.CauseThinkUnclosed},
		{name: "thinking that the prompt opened and nobody closed",
			item: item{Text: right, Strip: true, Finish: backends.FinishLength, Cause: backends.CauseThinkUnclosed},
			tag:  grade.NoAnswer, cause: backends.CauseThinkUnclosed},
		{name: "thinking that ended is no unclosed one, whatever the backend says",
			item: item{Text: "hm</think>" + right, Strip: true, Cause: backends.CauseThinkUnclosed}},
		{name: "thinking is read where the style does not leave it out", item: item{Text: "<think>" + right}},
		{name: "thinking that ended is left out", item: item{Text: "<think>" + wrong + "</think>" + right, Strip: true}},
		{name: "a prompt beyond the context is our failure", item: item{Finish: backends.FinishError, Cause: backends.CauseTruncated},
			tag: grade.HarnessError, cause: backends.CauseTruncated},
		{name: "a lost connection is the backend's", item: item{Finish: backends.FinishError, Cause: backends.CauseConnection},
			tag: grade.AdapterError, cause: backends.CauseConnection},
		{name: "an error is not marked, whatever its text", item: item{Text: right, Finish: backends.FinishError,
			Cause: backends.CauseTimeout},
			tag: grade.AdapterError, cause: backends.CauseTimeout},
		{name: "an error without a cause is the backend's", item: item{Finish: backends.FinishError}, tag: grade.AdapterError},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.item.Options, c.item.Gold = 4, "B"
			if c.item.Finish == "" {
				c.item.Finish = backends.FinishStop
			}
			set, err := grade.Lookup("tiger-strict")
			assert.NilError(t, err)
			m := mark(set, c.item)
			assert.Check(t, m.Tag == c.tag && m.Cause == c.cause, "got tag %q, cause %q; want %q, %q", m.Tag, m.Cause, c.tag, c.cause)
			assert.Check(t, m.Correct == (c.tag == "") && m.Answered() == (c.tag == "" || c.tag == grade.WrongAnswer),
				"tag %q goes with correct %v, answered %v", m.Tag, m.Correct, m.Answered())
			assert.Check(t, c.tag.IsError() == (c.item.Finish == backends.FinishError), "IsError of %q is %v", c.tag, c.tag.IsError())
		})
	}
}

func TestAnEchoOfThePromptIsNoAnswer(t *testing.T) {
	shot := func(n string) string {
		return "Question:\nHow many legs have " + n + " horses, if none of them is lame?\nOptions:\nA. 4\nB. 8\nC. 12\nD. 16\n" +
			"Answer: Let's think step by step. Each of them has four legs. The answer is (B).\n\n"
	}
	const (
		instruction = "The following are multiple choice questions (with answers) about horses. Think step by step and then finish your " +
			"answer with \"the answer is (X)\".\n\n\n\n"
		question = "Question:\nHow many eyes has a horse that sees well with both of them, and with no other one?\nOptions:\nA. 1\nB. 2\nAnswer: "
		answer   = "The answer is (A)."
	)
	shots := instruction + shot("two") + shot("three")
	imitated := strings.ReplaceAll(shot("two"), "legs", "ears") + strings.ReplaceAll(shot("three"), "legs", "ears")
	for name, c := range map[string]struct {
		preamble, text string
		echo           bool
	}{
		"the whole prompt":                  {shots, shots + question + answer, true},
		"its beginning, then a stop":        {shots, "\n" + strings.TrimSpace(instruction), true},
		"two shots, in another template":    {"<|user|>" + shots, "user: " + shots + question + answer, true},
		"one shot and the question":         {shots, shot("two") + question + answer, false},
		"one shot twice":                    {shots, shot("two") + shot("two") + answer, false},
		"the shots' form, with other words": {shots, answer + "\n\n" + imitated, false},
		"the instruction and one shot":      {shots, "You say: " + instruction + shot("two") + answer, false},
		"the question alone":                {shots, question + answer, false},
		"a prompt without shots":            {"", question + answer, true},
		"its question without its end":      {"", strings.TrimSuffix(question, "Answer: ") + answer, false},
		"a short prompt":                    {"Which?", "Which?" + answer, false},
		"none that is known":                {"", answer, false},
	} {
		h := &journal.Header{Preambles: map[string]string{"horses": c.preamble}}
		r := &journal.Record{Subject: "horses", Prompt: question, Text: c.text, Options: 4, Gold: "A", Finish: backends.FinishStop}
		if strings.HasPrefix(name, "a short") || strings.HasPrefix(name, "none") {
			r.Prompt = ""
		}
		for _, set := range grade.For("mmlu_pro") {
			m := set.Mark(h, r)
			if echo := m.Cause == backends.CauseEcho; echo != c.echo || echo && (m.Answered() || m.Tag != grade.NoAnswer) {
				t.Errorf("%s, by %s: %+v", name, set.Name, m)
			}
		}
	}
}

func TestRuleSetsAreFoundByNameAndTask(t *testing.T) {
	_, err := grade.Lookup("lmeval")
	errortest.For(t, "an unknown name should be answered with the known ones", err, "lm-eval")
	for _, each := range []string{"mmlu_pro_direct", "mmlu_pro_binary_direct", "mmlu_pro_circular_direct"} {
		if got := grade.Names(grade.For(each)); got != grade.Direct {
			t.Errorf("%s is marked by %s", each, got)
		}
	}
	for task, want := range map[string]bool{"mmlu_pro": false, "mmlu_pro_circular": false, "mmlu_pro_binary": true} {
		assert.Check(t, !strings.Contains(grade.Names(grade.For(task)), grade.Direct), "direct applies to %s", task)
		got := false
		for _, set := range grade.For(task) {
			got = got || set.Name == "binary"
		}
		assert.Check(t, got == want, "binary applies to %s: %v", task, got)
	}
}

func TestAnEndlessCompletionIsMarkedInTimeProportionalToItsLength(t *testing.T) {
	for _, piece := range []string{"\n", "A ", "answer: ", "answer is ", `\boxed{`, "(", "(A", "</think>", "<think>", "**A**\n",
		"Answer: A or ", "A, ", "　", "answer:\n"} {
		text := strings.Repeat(piece, 1<<19/len(piece)) + "nswer:"
		for _, set := range grade.Sets() {
			start := time.Now()
			mark(set, item{Text: text, Options: 10, Gold: "A", Strip: true, Finish: backends.FinishStop})
			spent := time.Since(start)
			assert.Check(t, spent <= time.Minute, "%s takes %v for half a mebibyte of %q", set.Name, spent, piece)
		}
	}
}

func TestEveryRuleSetIsExplainedInALineEach(t *testing.T) {
	for _, set := range grade.Sets() {
		for what, text := range map[string]string{"takes": set.About.Takes, "agrees": set.About.Agrees, "use": set.About.Use} {
			assert.Check(t, text != "" && len(text) <= 130 && !strings.Contains(text, "\n") && !strings.HasSuffix(text, "."),
				"%s: %s: %q", set.Name, what, text)
		}
	}
}

func TestRuleSetsThatTakeTheFirstMatchDecide(t *testing.T) {
	want := map[string]bool{"tiger-strict": true, "tiger": true, "lm-eval": true}
	for _, set := range grade.Sets() {
		assert.Check(t, set.Decides(false) == want[set.Name], "%s decides: %v", set.Name, set.Decides(false))
		assert.Check(t, !set.Decides(true), "%s decides although what it reads may turn out to be thinking", set.Name)
	}
}

// TestARefusalIsNoAnswer has a refusal whose words hold letters, under every rule set.
func TestARefusalIsNoAnswer(t *testing.T) {
	r := &journal.Record{Text: "I cannot help. The answer is (A).", Finish: backends.FinishStop, Options: 10, Gold: "A"}
	for _, rules := range grade.Sets() {
		r.Cause = backends.CauseRefused
		m := rules.Mark(&journal.Header{}, r)
		assert.Check(t, m.Tag == grade.NoAnswer && m.Cause == backends.CauseRefused && !m.Answered(), "%s: %+v", rules.Name, m)
	}
}

func TestAMarkSaysWhereItsLetterWasFound(t *testing.T) {
	for _, c := range []struct{ name, rules, text, want string }{
		{"an announcement", "tiger-strict", "So the answer is (C). The answer is (D).", "answer is (C"},
		{"the phrase that has a letter", "lm-eval", "the answer is not clear, but the answer is E", "answer is E"},
		{"the last colon of the line", "tiger", "Answer: B or answer:  C\nAnswer: D", "answer:  C"},
		{"a letter on the next line", "tiger", "é Answer:\n\tC", "Answer:\n\tC"},
		{"a bare letter", "tiger", "B is wrong, so it is D, éA", "D"},
		{"the last marker", "evalscope", "ANSWER: A, then **Answer: (B)** it is", "Answer: (B"},
		{"the last upper-case letter", "evalscope", "É, so C.", "C"},
		{"an answer's line", "agi-evals", "One.\n**Final answer: C**\nTwo.", "**Final answer: C"},
		{"a small letter alone on it", "agi-evals", "One.\nAnswer: c.\n", "Answer: c"},
		{"a letter in brackets", "agi-evals", "It is (B), clearly", "B"},
		{"a letter by itself", "agi-evals", "It is B clearly", "B"},
		{"a boxed letter", "anchored", `so $\boxed{\text{C}}$.`, `\boxed{\text{C`},
		{"with words between", "anchored", "The answer is most likely option (c).", "answer is most likely option (c"},
		{"after the thinking", "anchored", "<think>answer is A</think>the answer is B<think>answer is C", "answer is B"},
		{"before the stop string", "anchored", "the answer is B\n\nQuestion: the answer is C", "answer is B"},
		{"true or false", "binary", "The answer is (A). No, the answer is (B).", "the answer is (B"},
		{"true or false, the first", "binary-first", "The answer is (A). No, the answer is (B).", "The answer is (A"},
		{"the first word of a verdict", "binary-nvidia", "Well,\nthe answer is  (correct). Or so.", "the answer is  (correct)."},
		{"no letter", "tiger", "who knows", ""},
		{"several letters", "anchored", "the answer is (A) or (B)", ""},
		{"a letter that the question has not", "lm-eval", "the answer is (J)", ""},
	} {
		set, err := grade.Lookup(c.rules)
		assert.NilError(t, err)
		m := mark(set, item{Text: c.text, Options: 6, Gold: "A", Stop: []string{"Question:"}, Finish: backends.FinishStop})
		got := c.text[m.At.Start:m.At.End]
		assert.Check(t, got == c.want, "%s: %s finds it in %q, not in %q", c.name, c.rules, got, c.want)
	}
}

func TestRuleSetsOfTasksTakeWhatTheirTaskDoes(t *testing.T) {
	for _, test := range []struct {
		name, rules, text, want string
	}{
		{"OpenCompass takes the first of its lines", "opencompass", "ANSWER: B\nANSWER: C", "B"},
		{"OpenCompass takes its word in any case", "opencompass", "So the answer :\n\u00a0C", "C"},
		{"OpenCompass knows no small letter, and looks no further", "opencompass", "answer: because. ANSWER: C", ""},
		{"OpenCompass takes what a letter begins", "opencompass", "ANSWER: Because", "B"},
		{"OpenCompass takes no brackets", "opencompass", "ANSWER: (B)", ""},
		{"OpenCompass takes no letter behind P", "opencompass", "ANSWER: X", ""},
		{"OpenCompass takes a letter that no option has for none", "opencompass", "ANSWER: K. ANSWER: B", ""},
		{"Llama's takes the last of its sentences", "lm-eval-llama", "The best answer is A. No: the best answer is C.", "C"},
		{"Llama's takes no other sentence", "lm-eval-llama", "The answer is A. The best answer is (B).", ""},
		{"MMLU-Pro-Max takes correct for A", "binary-nvidia", "So it is.\nThe answer is (correct).\n \n", "A"},
		{"MMLU-Pro-Max takes incorrect for B", "binary-nvidia", "Hence **the answer is incorrect**, as said", "B"},
		{"MMLU-Pro-Max takes the last of its last line", "binary-nvidia", "The answer is (correct). No: The Answer Is (Incorrect).", "B"},
		{"MMLU-Pro-Max takes no other line", "binary-nvidia", "The answer is (correct).\nThat is all.", ""},
		{"MMLU-Pro-Max takes a line that begins with the word", "binary-nvidia", "So:\n\"Correct\" it is", "A"},
		{"MMLU-Pro-Max takes no other word", "binary-nvidia", "The answer is probably (correct).", ""},
		{"MMLU-Pro-Max takes no letter", "binary-nvidia", "The answer is (A).", ""},
		{"MMLU-Pro-Max wants a word", "binary-nvidia", "The answer is", ""},
	} {
		set, err := grade.Lookup(test.rules)
		assert.NilError(t, err)
		got := mark(set, item{Text: test.text, Options: 10, Gold: "A", Finish: backends.FinishStop}).Letter
		assert.Check(t, got == test.want, "%s: %q, want %q", test.name, got, test.want)
	}
}

func FuzzGrade(f *testing.F) {
	for i, c := range cases {
		f.Add(c.text, i%10+1, i%2 == 0, "Question:")
	}
	f.Fuzz(func(t *testing.T, text string, options int, strip bool, stop string) {
		if options < 1 || options > 10 {
			t.Skip("questions have 1 to 10 options here")
		}
		it := item{Text: text, Options: options, Gold: "A", Stop: []string{stop}, Strip: strip, Finish: backends.FinishStop}
		for _, set := range grade.Sets() {
			checkMark(t, set, it)
		}
	})
}

func checkMark(t *testing.T, set grade.RuleSet, it item) {
	m := mark(set, it)
	letters := "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:it.Options]
	if strings.HasPrefix(set.Name, "tiger") && it.Options < 10 {
		letters = "ABCDEFGHIJ"
	}
	switch {
	case m != mark(set, it):
		t.Errorf("%s: %q is marked differently the second time", set.Name, it.Text)
	case m.Answered() != (m.Letter != "") || m.Answered() != (m.Rule != ""):
		t.Errorf("%s: %q: answered %v, letter %q, rule %q", set.Name, it.Text, m.Answered(), m.Letter, m.Rule)
	case m.Answered() && (len(m.Letter) != 1 || !strings.Contains(letters, m.Letter)):
		t.Errorf("%s: %q: letter %q of %s", set.Name, it.Text, m.Letter, letters)
	case m.Correct != (m.Tag == "") || m.Correct != (m.Letter == it.Gold):
		t.Errorf("%s: %q: correct %v, tag %q, letter %q", set.Name, it.Text, m.Correct, m.Tag, m.Letter)
	case !m.Answered() && m.At != grade.Span{}:
		t.Errorf("%s: %q: no answer at %v", set.Name, it.Text, m.At)
	case m.Answered() && !endsIn(it.Text, m.At, m.Letter):
		t.Errorf("%s: %q: letter %q does not end %v", set.Name, it.Text, m.Letter, m.At)
	}
}

// endsIn says whether a span of the text ends in the letter, in any case.
func endsIn(text string, at grade.Span, letter string) bool {
	return 0 <= at.Start && at.Start < at.End && at.End <= len(text) && strings.HasSuffix(strings.ToUpper(text[:at.End]), letter)
}
