package grade

import (
	"slices"

	"proctor/prompts/task"
)

// Sets lists all rule sets, in the order of reports. A published rule set never changes. J stands for the letter of a question's last
// option where it has more than ten.
func Sets() []RuleSet { return slices.Clone(sets) }

var sets = []RuleSet{
	{
		Name: "tiger-strict", Rules: []Rule{answerIs}, anyLetter: true, first: true, forms: []form{saidForm},
		About: About{`the first "answer is (X)" or "answer is X", X from A to J`,
			"the first pattern of the MMLU-Pro authors' script (evaluate_from_local.py)",
			"to see how many completions end as the prompt asks"},
	},
	{
		Name: "tiger", Rules: []Rule{answerIs, answerColon, lastBareCapital}, anyLetter: true, first: true,
		guesses: true, forms: []form{saidForm, lineForm},
		About: About{`the first "answer is (X)", else "answer: X", else the last capital from A to J that stands alone`,
			"the MMLU-Pro authors' script, but for what that guesses at random where it finds nothing: no answer here",
			"to compare with the MMLU-Pro leaderboard; with style tiger"},
	},
	{
		Name: "lm-eval", Rules: []Rule{answerIs}, first: true, forms: []form{saidForm},
		About: About{`the first "answer is (X)"; no answer where the question has no such option`,
			"lm-evaluation-harness, mmlu_pro 3.1, filter custom-extract",
			"to compare with its results; with style lm-eval"},
	},
	{
		Name: "evalscope", Rules: []Rule{answerMarker, lastUpperCase}, forms: []form{capitalForm, lineForm},
		About: About{`the last "ANSWER: X" in any case, else the last upper-case letter; two letters are no answer`,
			"evalscope, multi_choices.py",
			"to compare with its results; with style evalscope"},
	},
	{
		Name: agiEvals, Rules: []Rule{answerLine, parenthesised, standalone}, answered: true, forms: []form{lineForm, capitalForm},
		About: About{`the last line "Answer: X", else the last "(X)" near the end, else the last lone capital, no bare A or I in prose`,
			"suites that ask for an answer line",
			"where the prompt asks for a line Answer: X; on other prompts it finds fewer"},
	},
	{
		Name: "anchored", Rules: []Rule{lastAnchored}, strip: true, cut: true, forms: []form{saidForm, lineForm, capitalForm},
		About: About{`the last letter announced as the answer, as "the answer is C", "Answer: **C**", "\boxed{C}", "answer: c", after the thinking`,
			"no harness: a reader who takes a model at its last word, and guesses nothing",
			"for models that think, write markdown, or correct themselves"},
	},
	{
		Name: "binary", Rules: []Rule{theAnswerIs}, strip: true, cut: true, only: task.EachOption, forms: []form{saidForm},
		About: About{`the last "the answer is (A)" or "(B)", after the thinking`,
			"a reader: a model that corrects itself means the last",
			"for items that are true or false; with style binary"},
	},
	{
		Name: "binary-first", Rules: []Rule{firstAnswerIs}, strip: true, cut: true, only: task.EachOption, forms: []form{saidForm},
		About: About{`the first "the answer is (A)" or "(B)", after the thinking`,
			"the filters of lm-evaluation-harness, which take the first match",
			"to compare with those, on items that are true or false"},
	},
	{
		Name: Direct, Rules: []Rule{onlyLetter}, direct: true,
		About: About{"the likeliest of the question's letters, which is all that a direct item has for a completion",
			"lm-evaluation-harness, acc of its multiple_choice tasks",
			"for direct runs, which nothing else marks"},
	},
}
