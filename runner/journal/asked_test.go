package journal_test

import "testing"

func TestTheQuestionStandsBeforeItsOptions(t *testing.T) {
	const shots = "Answer.\n\nQuestion:\nOld?\nOptions:\nA. x\nB. y\nAnswer: A\n\n"
	for name, test := range map[string]struct {
		options  []string
		preamble string
		prompt   string
		question string
		found    bool
	}{
		"after shots":                   {[]string{"x", "y"}, shots, "Question:\nNew?\nOptions:\nA. x\nB. y\nAnswer:", "New?", true},
		"with the head in the preamble": {[]string{"x", "y"}, shots + "Question:\n", "New?\nTwice?\nA) x\nB) y\n", "New?\nTwice?", true},
		"options that begin with white space": {[]string{"\nx", "\vy", "\u00a0z\n"}, shots,
			"Question:\nNew?\nOptions:\nA. \nx\nB. \vy\nC. \u00a0z\n\nAnswer:", "New?", true},
		"other options": {[]string{"x", "z"}, shots, "New?\nA. x\nB. y", "New?\nA. x\nB. y", false},
		"no options":    {nil, shots, "New?\nA. x\nB. y", "New?\nA. x\nB. y", false},
	} {
		r := record(1)
		r.Prompt, r.OptionTexts = test.prompt, test.options
		if question, found := r.Asked(test.preamble); question != test.question || found != test.found {
			t.Errorf("%s: %q, %t", name, question, found)
		}
		r.Question = "As logged?"
		if question, found := r.Asked(test.preamble); question != r.Question || !found {
			t.Errorf("%s, as a log says it: %q, %t", name, question, found)
		}
	}
}
