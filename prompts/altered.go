package prompts

import (
	"slices"

	"proctor/prompts/dataset"
	"proctor/prompts/task"
)

// altered makes one item of a question, whose right option alter changes; alter returns where that option is now. A question with an option
// that speaks of the others stays as it is, since two of its options could be right then, or none.
func altered(alter func(options []string, gold int) int) func(dataset.Question, string) ([]variant, error) {
	return func(q dataset.Question, _ string) ([]variant, error) {
		if slices.ContainsFunc(q.Options, task.OfOthers) {
			return []variant{{name: task.AsIs, question: q}}, nil
		}
		q.Options = slices.Clone(q.Options)
		q.AnswerIndex = alter(q.Options, q.Gold())
		q.Answer = dataset.Letter(q.AnswerIndex)
		return []variant{{question: q}}, nil
	}
}

func toLast(options []string, gold int) int {
	last := len(options) - 1
	options[gold], options[last] = options[last], options[gold]
	return last
}

func toNone(options []string, gold int) int {
	options[gold] = task.NoneIsRight
	return gold
}
