package prompts

import (
	"regexp"
	"strings"

	"proctor/prompts/dataset"
)

const cotOpening = "A: Let's think step by step." // as the data set's reasoning begins

// reasoning is a validation question's worked reasoning without its opening words. A row without any gets the bare
// verdict, so that every shot ends in an answer.
func reasoning(q dataset.Question) string {
	if strings.TrimSpace(q.CoT) == "" {
		return verdict(q.Answer)
	}
	return strings.TrimPrefix(strings.TrimPrefix(q.CoT, cotOpening), " ")
}

func verdict(letter string) string { return "The answer is (" + letter + ")." }

var lastVerdict = regexp.MustCompile(`\s*The answer is \([A-Z]\)\.?\s*$`)

// rationale is the reasoning without the verdict that ends it, empty for a row that has none.
func rationale(q dataset.Question) string {
	if strings.TrimSpace(q.CoT) == "" {
		return ""
	}
	return lastVerdict.ReplaceAllString(reasoning(q), "")
}

// restate says "The answer is (H)." as "ANSWER: H.", where the phrase is "ANSWER:". Brackets go only around the letters
// named by the last verdict, as evalscope does it.
func restate(phrase, cot string) string {
	cot = strings.ReplaceAll(cot, "The answer is", phrase)
	last := cot[max(0, strings.LastIndex(cot, phrase)):]
	named, _, _ := strings.Cut(strings.TrimPrefix(last, phrase), ".")
	named = strings.Trim(strings.Trim(strings.TrimSpace(named), "("), ")")
	return strings.ReplaceAll(cot, phrase+" ("+named+")", phrase+" "+named)
}

var fullVerdict = regexp.MustCompile(`The answer is \(([A-Z])\)\.`)

// conclude says "The answer is (H)." as "The best answer is H.", where the phrase is "The best answer is".
func conclude(phrase, cot string) string {
	return fullVerdict.ReplaceAllStringFunc(cot, func(said string) string {
		return phrase + " " + fullVerdict.FindStringSubmatch(said)[1] + "."
	})
}
