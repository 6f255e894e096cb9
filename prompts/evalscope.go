package prompts

import (
	"strings"

	"proctor/prompts/dataset"
)

// evalscope's layout: shots in one form, the question itself in another.

func evalscopeInstruction(subject string) string {
	return "The following are multiple choice questions (with answers) about " + strings.ToLower(subject) +
		". Think step by step and then finish your answer with 'ANSWER: [LETTER]' (without quotes)" +
		" where [LETTER] is the correct letter choice."
}

func evalscopeShot(q dataset.Question) Shot {
	return Shot{Ask: listed(q, " "), Answer: evalscopeVerdict(cotOpening + " " + reasoning(q))}
}

// evalscopeVerdict rewrites "The answer is (H)." to "ANSWER: H.". The brackets go only around the letters named by
// the last verdict, as evalscope does it.
func evalscopeVerdict(cot string) string {
	const marker = "ANSWER:"
	cot = strings.ReplaceAll(cot, "The answer is", marker)
	last := cot[strings.LastIndex(cot, marker)+len(marker):]
	named, _, _ := strings.Cut(last, ".")
	named = strings.Trim(strings.Trim(strings.TrimSpace(named), "("), ")")
	return strings.ReplaceAll(cot, marker+" ("+named+")", marker+" "+named)
}

func evalscopeAsk(q dataset.Question) string {
	letters := strings.Split(pattern(consecutive(len(q.Options))).String(), "")
	return "Answer the following multiple choice question. The last line of your response should be of the following format: " +
		"'ANSWER: [LETTER]' (without quotes) where [LETTER] is one of " +
		strings.Join(letters, ",") + ". Think step by step before answering.\n\n" + listed(q, ") ")
}
