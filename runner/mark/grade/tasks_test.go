package grade_test

import (
	"testing"

	"proctor/backends"
	"proctor/runner/mark/grade"
)

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
		{"MMLU-ProX asks in German", "mmlu-prox-de", "Die Antwort ist (B). Die Antwort ist C.", "B"},
		{"MMLU-ProX in German knows no English", "mmlu-prox-de", "The answer is (B).", ""},
		{"MMLU-ProX in Japanese", "mmlu-prox-ja", "答えは (C) です", "C"},
		{"MMLU-ProX in Japanese wants its end too", "mmlu-prox-ja", "答えは (C)", ""},
		{"MMLU-ProX in Ukrainian", "mmlu-prox-uk", "Відповідь: D", "D"},
		{"MMLU-ProX in Nepali", "mmlu-prox-ne", "उत्तर (A) हो।", "A"},
	} {
		set, err := grade.Lookup(test.rules)
		if err != nil {
			t.Fatal(err)
		}
		if got := mark(set, item{Text: test.text, Options: 10, Gold: "A", Finish: backends.FinishStop}).Letter; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	for _, name := range []string{"mmlu-prox-xx", "mmlu-prox-", "mmlu-prox"} {
		if _, err := grade.Lookup(name); err == nil {
			t.Errorf("there is a rule set %q", name)
		}
	}
}
