package prompts

import (
	"fmt"
	"math/rand/v2"

	"proctor/prompts/dataset"
	"proctor/prompts/task"
)

// An Expansion sets how a task expands a question. The zero value is every task's default.
type Expansion struct {
	Pattern     string // of a task that asks each order: [task.Circular] (the default, also "") or [task.AllPossible]
	MaxPatterns int    // with AllPossible: sample that many orders of a question with more; 0 for no sampling
	Balance     bool   // of a task that asks about each option: only about the gold option and one seeded distractor
	Seed        uint64 // of what is sampled
}

// A variant is one item of a question before it is rendered.
type variant struct {
	name            string
	question        dataset.Question
	optionsOriginal int
}

// expansions says what becomes of a question, and of the shots before it, by the variants that a task asks for.
var expansions = map[task.Variants]struct {
	variants func(dataset.Question, Expansion) ([]variant, error)
	shots    func([]dataset.Question) []dataset.Question
}{
	task.Itself:     {itself, asTheyAre},
	task.EachOption: {eachOption, binaryShots},
	task.EachOrder:  {eachOrder, asTheyAre},
}

func asTheyAre(questions []dataset.Question) []dataset.Question { return questions }

func itself(q dataset.Question, _ Expansion) ([]variant, error) { return []variant{{question: q}}, nil }

// check refuses settings that are not a task's.
func (e Expansion) check(variants task.Variants) error {
	switch {
	case e.Balance && variants != task.EachOption:
		return fmt.Errorf("balance is for %s only", task.Names(task.EachOption))
	case (e.Pattern != "" || e.MaxPatterns != 0) && variants != task.EachOrder:
		return fmt.Errorf("patterns are for %s only", task.Names(task.EachOrder))
	case e.MaxPatterns < 0:
		return fmt.Errorf("max-patterns %d is negative", e.MaxPatterns)
	case e.Pattern == task.AllPossible:
		return nil
	case e.Pattern != "" && e.Pattern != task.Circular:
		return fmt.Errorf("unknown pattern %q; there are %s, %s", e.Pattern, task.Circular, task.AllPossible)
	case e.MaxPatterns > 0:
		return fmt.Errorf("max-patterns goes with pattern %s; rotations are never more than the options", task.AllPossible)
	}
	return nil
}

// random is a source that depends on the seed and the question only, so that a question's sample is the same in
// every selection.
func (e Expansion) random(q dataset.Question) *rand.Rand {
	return rand.New(rand.NewPCG(e.Seed, uint64(q.ID)))
}
