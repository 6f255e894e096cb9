package grade_test

import (
	"strings"
	"testing"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
	"proctor/scripts/tests/errortest"
)

// An item is what a rule set looks at of a record and its run's header.
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
		&journal.Header{Strip: it.Strip, Sampling: journal.Sampling{Stop: it.Stop}},
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
			if err != nil {
				t.Fatal(err)
			}
			m := mark(set, c.item)
			if m.Tag != c.tag || m.Cause != c.cause {
				t.Errorf("got tag %q, cause %q; want %q, %q", m.Tag, m.Cause, c.tag, c.cause)
			}
			if m.Correct != (c.tag == "") || m.Answered() != (c.tag == "" || c.tag == grade.WrongAnswer) {
				t.Errorf("tag %q goes with correct %v, answered %v", m.Tag, m.Correct, m.Answered())
			}
			if c.tag.IsError() != (c.item.Finish == backends.FinishError) {
				t.Errorf("IsError of %q is %v", c.tag, c.tag.IsError())
			}
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
		asked  = "Question:\nHow many eyes has a horse that sees well with both of them, and with no other one?\nOptions:\nA. 1\nB. 2\nAnswer: "
		answer = "The answer is (A)."
	)
	shots := instruction + shot("two") + shot("three")
	imitated := strings.ReplaceAll(shot("two"), "legs", "ears") + strings.ReplaceAll(shot("three"), "legs", "ears")
	for name, c := range map[string]struct {
		preamble, text string
		echo           bool
	}{
		"the whole prompt":                  {shots, shots + asked + answer, true},
		"its beginning, then a stop":        {shots, "\n" + strings.TrimSpace(instruction), true},
		"two shots, in another template":    {"<|user|>" + shots, "user: " + shots + asked + answer, true},
		"one shot and the question":         {shots, shot("two") + asked + answer, false},
		"one shot twice":                    {shots, shot("two") + shot("two") + answer, false},
		"the shots' form, with other words": {shots, answer + "\n\n" + imitated, false},
		"the instruction and one shot":      {shots, "You say: " + instruction + shot("two") + answer, false},
		"the question alone":                {shots, asked + answer, false},
		"a prompt without shots":            {"", asked + answer, true},
		"its question without its end":      {"", strings.TrimSuffix(asked, "Answer: ") + answer, false},
		"a short prompt":                    {"Which?", "Which?" + answer, false},
		"none that is known":                {"", answer, false},
	} {
		h := &journal.Header{Preambles: map[string]string{"horses": c.preamble}}
		r := &journal.Record{Subject: "horses", Prompt: asked, Text: c.text, Options: 4, Gold: "A", Finish: backends.FinishStop}
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
		if strings.Contains(grade.Names(grade.For(task)), grade.Direct) {
			t.Errorf("direct applies to %s", task)
		}
		got := false
		for _, set := range grade.For(task) {
			got = got || set.Name == "binary"
		}
		if got != want {
			t.Errorf("binary applies to %s: %v", task, got)
		}
	}
}

func TestAnEndlessCompletionIsMarkedInTimeProportionalToItsLength(t *testing.T) {
	for _, piece := range []string{"\n", "A ", "answer: ", "answer is ", `\boxed{`, "(", "(A", "</think>", "<think>", "**A**\n",
		"Answer: A or ", "A, ", "　", "answer:\n"} {
		text := strings.Repeat(piece, 1<<19/len(piece)) + "nswer:"
		for _, set := range grade.Sets() {
			start := time.Now()
			mark(set, item{Text: text, Options: 10, Gold: "A", Strip: true, Finish: backends.FinishStop})
			if spent := time.Since(start); spent > 5*time.Second {
				t.Errorf("%s takes %v for half a mebibyte of %q", set.Name, spent, piece)
			}
		}
	}
}

func TestEveryRuleSetIsExplainedInALineEach(t *testing.T) {
	for _, set := range grade.Sets() {
		for what, text := range map[string]string{"takes": set.About.Takes, "agrees": set.About.Agrees, "use": set.About.Use} {
			if text == "" || len(text) > 130 || strings.Contains(text, "\n") || strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s: %q", set.Name, what, text)
			}
		}
	}
}
