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
	Task    task.Task
	Style   Style
	Shots   int    // 0 to MaxShots
	Pattern string // of a task that asks each order: [task.Circular] (the default, also "") or [task.AllPossible]

	System string // stands in the place of the style's own system text; empty for that
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
			shared = Item{Subject: q.Subject, Turns: turns, Preamble: turns.preamble()}
			if e.Task.Direct {
				if shared.AnswerPrefix, err = e.Style.answerPrefix(q.Subject, e.Shots, e.Task.Style); err != nil {
					return nil, err
				}
			}
		}
		q = e.Style.prepare(set, q)
		variants, err := expansions[e.Task.Variants].variants(q, e.Pattern)
		if err != nil {
			return nil, err
		}
		for _, v := range variants {
			item, err := e.render(shared, v)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
	}
	return items, nil
}

func (e Eval) check() error {
	if e.Shots < 0 || e.Shots > MaxShots {
		return fmt.Errorf("%d shots; give 0 to %d", e.Shots, MaxShots)
	}
	if !e.Style.LaysOut(e.Task) {
		return fmt.Errorf("style %s does not lay out %s; its default style is %s, and there are %s", e.Style.Name, e.Task.Name,
			e.Task.Style, stylesThatLayOut(e.Task))
	}
	return checkPattern(e.Pattern, e.Task.Variants)
}

func (e Eval) turns(set *dataset.Set, subject string) (*Turns, error) {
	questions, err := e.shots(set, subject)
	if err != nil {
		return nil, err
	}
	for i, q := range questions {
		questions[i] = e.Style.prepare(set, q)
	}
	turns, err := e.Style.turns(subject, expansions[e.Task.Variants].shots(questions))
	if err != nil {
		return nil, err
	}
	turns.System = cmp.Or(e.System, turns.System)
	return turns, nil
}

// shots are the validation questions of a subject that its prompts show.
func (e Eval) shots(set *dataset.Set, subject string) ([]dataset.Question, error) {
	if e.Style.shotsOfSet {
		subject = ""
	}
	return set.Shots(subject, e.Shots)
}

func (e Eval) render(item Item, v variant) (Item, error) {
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
	text, err := e.Style.ask(&values{question: v.question, option: v.option, shots: e.Shots})
	item.Text = text + item.AnswerPrefix
	return item, err
}
