package grade

import "proctor/prompts/task"

// Sets lists all rule sets, in the order reports show them.
//
//   - tiger-strict: the authors' first pattern alone, the first "answer is (X)" (MMLU-Pro, evaluate_from_local.py).
//   - tiger: that, then their second pattern "answer: X", then the last bare capital; what they guess at random
//     after that is no answer here.
//   - lm-eval: the first "answer is (X)" (lm-evaluation-harness, mmlu_pro 3.1, filter custom-extract).
//   - evalscope: the last "ANSWER: X" in any case, else the last upper-case letter (evalscope, multi_choices.py).
//   - agi-evals: an "Answer: X" line, then "(X)" near the end, then a standalone capital, where a bare A or I in
//     prose does not count.
//   - anchored: after the thinking and before the stop string, the last letter that is announced as the answer.
//   - binary: for items that are true or false, the last "the answer is (A)" or "(B)", within the same bounds; the default of
//     style binary@1, since a model that corrects itself means the last.
//   - binary-first: the first of them, as the filters of lm-evaluation-harness take the first match.
func Sets() []RuleSet {
	return []RuleSet{
		{Name: "tiger-strict", Rules: []Rule{answerIs}, anyLetter: true, reach: answerIsReach},
		{Name: "tiger", Rules: []Rule{answerIs, answerColon, lastBareCapital}, anyLetter: true, reach: answerIsReach},
		{Name: "lm-eval", Rules: []Rule{answerIs}, reach: answerIsReach},
		{Name: "evalscope", Rules: []Rule{answerMarker, lastUpperCase}},
		{Name: "agi-evals", Rules: []Rule{answerLine, parenthesised, standalone}},
		{Name: "anchored", Rules: []Rule{lastAnchored}, strip: true, cut: true},
		{Name: "binary", Rules: []Rule{theAnswerIs}, strip: true, cut: true, only: task.EachOption},
		{Name: "binary-first", Rules: []Rule{firstAnswerIs}, strip: true, cut: true, only: task.EachOption},
	}
}
