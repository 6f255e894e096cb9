package prompts

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"proctor/prompts/dataset"
)

// The direct variant of a task has its letter at once, and the prompt goes up to there: what the style's shots write before
// their letter ends it, as "The answer is (". So the shots show what stands before a letter and what comes behind it, and the
// model is asked for the letter in the same place. The field asks MMLU and MMLU-Pro without reasoning so: with shots that
// have no reasoning, for the likeliest of the letters behind "Answer:" (Hendrycks et al. 2021; lm-evaluation-harness's mmlu, and
// its leaderboard_mmlu_pro of the Open LLM Leaderboard). The words before the letter are the style's; those of tiger-direct@1
// are the benchmark's own.

// answerPrefix returns the text that the style's answers have before their letter. It refuses a style whose answers have something there
// that depends on the question (which is reasoning), and one without a letter; instead names a style for the same task.
func (s Style) answerPrefix(subject string, shots int, instead string) (string, error) {
	var answers [2]string
	for i, q := range []dataset.Question{
		{Text: "Which?", Options: []string{"one", "one."}, CoT: cotOpening + " Because. The answer is (A).", Answer: "A"},
		{Text: "What?", Options: []string{"two", "two."}, CoT: cotOpening + " Therefore. The answer is (B).", Answer: "B",
			AnswerIndex: 1},
	} {
		q.Subject = subject
		var err error
		if answers[i], err = s.shotAnswer.render(&values{question: q, shots: shots}); err != nil {
			return "", err
		}
	}
	first, other := answers[0], answers[1]
	prefix := first[:commonPrefix(first, other)]
	if strings.HasPrefix(first[len(prefix):], "A") && strings.HasPrefix(other[len(prefix):], "B") {
		return prefix, nil
	}
	remedy := "its section shot-answer has to begin with the same words for every question, and then {{.Answer}}"
	if s.BuiltIn {
		name, _, _ := strings.Cut(s.Name, "@")
		if sibling, err := LookupStyle(name + "-direct"); err == nil {
			instead = sibling.Name
		}
		remedy = "take " + instead
	}
	return "", fmt.Errorf("style %s reasons before its letter, so there is no place for a direct answer: %s", s.Name, remedy)
}

// commonPrefix is the length of what a and b both begin with, in whole characters.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}
