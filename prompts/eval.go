package prompts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"proctor/prompts/dataset"
	"proctor/prompts/task"
)

// MaxShots is how many shots a prompt can have: the published set has five validation questions a subject.
const MaxShots = 5

// An Eval is everything that decides which prompts a set of questions becomes.
type Eval struct {
	Task  task.Task
	Style Style
	Shots int // 0 to MaxShots
	Expansion
}

// Items renders the questions, which are some of set.Test, ordered by subject and question id. The variants of a
// question stand in the task's order.
func (e Eval) Items(set *dataset.Set, questions []dataset.Question) ([]Item, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	questions = slices.Clone(questions)
	slices.SortStableFunc(questions, func(a, b dataset.Question) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.ID, b.ID))
	})
	items := make([]Item, 0, len(questions))
	var shared Item // the fields that a subject's items have in common
	for i, q := range questions {
		if i == 0 || q.Subject != shared.Subject {
			turns, err := e.turns(set, q.Subject)
			if err != nil {
				return nil, err
			}
			shared = Item{Subject: q.Subject, Turns: turns, Preamble: e.Style.preamble(turns)}
		}
		variants, err := expansions[e.Task.Variants].variants(e.Style.prepare(q), e.Expansion)
		if err != nil {
			return nil, err
		}
		for _, v := range variants {
			items = append(items, e.render(shared, v))
		}
	}
	return items, nil
}

func (e Eval) check() error {
	if e.Shots < 0 || e.Shots > MaxShots {
		return fmt.Errorf("prompts: %d shots; 0 to %d can be asked for", e.Shots, MaxShots)
	}
	if e.Style.trueOrFalse != (e.Task.Variants == task.EachOption) {
		return fmt.Errorf("prompts: style %s does not lay out %s; its default style is %s", e.Style.Name, e.Task.Name, e.Task.Style)
	}
	return e.Expansion.check(e.Task.Variants)
}

func (e Eval) turns(set *dataset.Set, subject string) (*Turns, error) {
	questions, err := set.Shots(subject, e.Shots)
	if err != nil {
		return nil, err
	}
	for i, q := range questions {
		questions[i] = e.Style.prepare(q)
	}
	return e.Style.turns(subject, expansions[e.Task.Variants].shots(questions)), nil
}

func (e Eval) render(item Item, v variant) Item {
	item.ID = e.Task.Name + "/" + strconv.Itoa(v.question.ID)
	if v.name != "" {
		item.ID += "/" + v.name
	}
	item.QuestionID = v.question.ID
	item.Variant = v.name
	item.Options = len(v.question.Options)
	item.OptionsOriginal = v.optionsOriginal
	item.Gold = v.question.Answer
	item.OptionTexts = v.question.Options
	item.Text = e.Style.ask(v.question)
	return item
}
