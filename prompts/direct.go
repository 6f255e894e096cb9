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
	first := s.answerTo(probe{"Which?", "one", "A: Let's think step by step. Because. The answer is (A).", 0}, subject, shots)
	other := s.answerTo(probe{"What?", "two", "A: Let's think step by step. Therefore. The answer is (B).", 1}, subject, shots)
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

// A probe is a question to find out what an answer has from it.
type probe struct {
	text, option, reasoning string
	gold                    int
}

func (s Style) answerTo(p probe, subject string, shots int) string {
	q := dataset.Question{
		Subject: subject, Text: p.text, Options: []string{p.option, p.option + "."}, AnswerIndex: p.gold, Answer: dataset.Letter(p.gold),
		CoT: p.reasoning,
	}
	return render(s.shotAnswer, &values{question: q, shots: shots})
}
