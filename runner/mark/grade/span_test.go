package grade_test

import (
	"testing"

	"proctor/backends"
	"proctor/runner/mark/grade"
)

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
		{"no letter", "tiger", "who knows", ""},
		{"several letters", "anchored", "the answer is (A) or (B)", ""},
		{"a letter that the question has not", "lm-eval", "the answer is (J)", ""},
	} {
		set, err := grade.Lookup(c.rules)
		if err != nil {
			t.Fatal(err)
		}
		m := mark(set, item{Text: c.text, Options: 6, Gold: "A", Stop: []string{"Question:"}, Finish: backends.FinishStop})
		if got := c.text[m.At.Start:m.At.End]; got != c.want {
			t.Errorf("%s: %s finds it in %q, not in %q", c.name, c.rules, got, c.want)
		}
	}
}
