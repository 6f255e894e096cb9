package prompts

import (
	"regexp"
	"strings"

	"proctor/prompts/dataset"
)

// eachOption makes one true-or-false item of every option.
func eachOption(q dataset.Question, _ string) ([]variant, error) {
	variants := make([]variant, len(q.Options))
	for i := range variants {
		variants[i] = trueOrFalse(q, i)
	}
	return variants, nil
}

// shotShowsGold says, for each shot in turn, whether a true-or-false shot asks about the gold option. Fixed, so that
// prompts are; both answers occur as soon as there are two shots; no simple alternation; and "False" is the more
// frequent one, as it is in the items.
var shotShowsGold = []bool{true, false, false, true, false}

// binaryShots turns validation questions into true-or-false ones. Where a shot does not show the gold option, it
// shows the one after it, the first option after the last.
func binaryShots(questions []dataset.Question) []variant {
	shots := make([]variant, len(questions))
	for i, q := range questions {
		option := q.Gold()
		if !shotShowsGold[i] {
			option = (option + 1) % len(q.Options)
		}
		shots[i] = trueOrFalse(q, option)
	}
	return shots
}

// trueOrFalse asks whether one option is the right one. The option is trimmed: in the published set a leading space
// often marks the gold option, and alone in a sentence it would show.
func trueOrFalse(q dataset.Question, option int) variant {
	v := variant{name: dataset.Letter(option), option: strings.TrimSpace(q.Options[option]), optionsOriginal: len(q.Options)}
	v.question = q
	v.question.Options, v.question.Answer, v.question.AnswerIndex = []string{"True", "False"}, "B", 1
	if option == q.Gold() {
		v.question.Answer, v.question.AnswerIndex = "A", 0
	}
	v.question.CoT = strings.TrimSpace(cotOpening+" "+withoutLetters(q)) + " " + conclusion(q, option) + " " + verdict(v.question.Answer)
	return v
}

func conclusion(q dataset.Question, option int) string {
	right := "The correct answer is '" + strings.TrimSpace(q.Options[q.Gold()]) + "'"
	if option == q.Gold() {
		return right + ", which is the option asked about."
	}
	return right + ", not '" + strings.TrimSpace(q.Options[option]) + "'."
}

// A letter in brackets that stands by itself: after a space, unlike the A of P(A).
var bracketed = regexp.MustCompile(`(^|\s)\(([A-Z])\)`)

// withoutLetters is q's reasoning without its verdict, letters in brackets replaced by the options they name: a
// true-or-false item does not show the list that the letters belong to, and has an (A) and a (B) of its own.
func withoutLetters(q dataset.Question) string {
	return bracketed.ReplaceAllStringFunc(rationale(q), func(match string) string {
		before, letter, _ := strings.Cut(strings.TrimSuffix(match, ")"), "(")
		index := dataset.Question{Answer: letter}.Gold()
		if index >= len(q.Options) {
			return match
		}
		return before + "'" + strings.TrimSpace(q.Options[index]) + "'"
	})
}
