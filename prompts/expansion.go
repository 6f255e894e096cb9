package prompts

import (
	"fmt"

	"proctor/prompts/dataset"
	"proctor/prompts/task"
)

// A variant is one item of a question before it is rendered.
type variant struct {
	name            string
	question        dataset.Question
	option          string // that a true-or-false item asks about
	optionsOriginal int
}

// expansions has, for each kind of variants, how a question becomes items, and its shots with it.
var expansions = map[task.Variants]struct {
	variants func(q dataset.Question, pattern string) ([]variant, error)
	shots    func([]dataset.Question) []variant
}{
	task.Itself:     {itself, asTheyAre},
	task.EachOption: {eachOption, binaryShots},
	task.EachOrder:  {eachOrder, asTheyAre},
}

func asTheyAre(questions []dataset.Question) []variant {
	shots := make([]variant, len(questions))
	for i, q := range questions {
		shots[i].question = q
	}
	return shots
}

func itself(q dataset.Question, _ string) ([]variant, error) { return []variant{{question: q}}, nil }

// checkPattern refuses a pattern that is not one of the task's.
func checkPattern(pattern string, variants task.Variants) error {
	switch {
	case pattern == "":
		return nil
	case variants != task.EachOrder:
		return fmt.Errorf("patterns are for %s only", task.Names(task.EachOrder))
	case pattern != task.Circular && pattern != task.AllPossible:
		return fmt.Errorf("unknown pattern %q; there are %s, %s", pattern, task.Circular, task.AllPossible)
	}
	return nil
}
