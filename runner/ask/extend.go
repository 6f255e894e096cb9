package ask

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/ask/budget"
	"proctor/runner/ask/stopping"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
)

// goOn has a plan ask in the order of the run in a folder, and extend that run where it asks more of the same draw. o are those of
// the session.
func (p *Plan) goOn(folder string, o *Options, set *dataset.Set, eval prompts.Eval, selection dataset.Selection,
	settings Settings) error {
	begun, err := journal.Open(folder)
	if err != nil {
		return nil // asking tells what is wrong, if anything is: a later task may not have begun
	}
	defer begun.Close()
	p.begun = folder
	was, draws := &begun.Header, begun.Header.Extended
	p.header.AskedAgain, p.choice = was.AskedAgain, budget.Choice{Tokens: was.Budgets, Free: true}
	if was.Selection.IDsSHA256 != p.header.Selection.IDsSHA256 {
		if was.Shard != nil && o.Flags["limit"] != nil {
			return fmt.Errorf("%s: %s is a shard of a run, whose questions are fixed: leave the flag out, or merge "+
				"the shards and extend that run", limited(o.Flags), folder)
		}
		old, err := NewPlan(set, eval, drawing(selection, was.Selection.Draw()), settings)
		if err != nil || old.header.Selection.IDsSHA256 != was.Selection.IDsSHA256 {
			return nil // more than the limit differs, which asking tells by name
		}
		if err := p.canExtend(old); err != nil {
			return fmt.Errorf("%s: %w the run in %s asks: a run can be extended, not cut; give a larger limit or none, "+
				"or start a new run", limited(o.Flags), err, folder)
		}
		draws = append(slices.Clone(draws), was.Selection.Draw())
		p.extends = old.header.Selection.Questions
	}
	if len(o.Again) > 0 {
		if err := p.askAgain(was, o.Again); err != nil {
			return err
		}
	}
	selection.Subjects = p.header.Selection.Subjects
	return p.inOrderOf(draws, set, selection)
}

// limited is the limit that flags have, as the user wrote it.
func limited(flags map[string][]string) string {
	return setting.Limit.As(strings.Join(flags["limit"], ""))
}

// drawing is a selection by another number of questions.
func drawing(s dataset.Selection, d journal.Draw) dataset.Selection {
	s.Limit, s.PerSubject, s.Share = d.Limit, d.PerSubject, d.Share
	return s
}

// canExtend says why the plan can't extend another's run, in the middle of a sentence.
func (p *Plan) canExtend(old *Plan) error {
	if p.header.Selection.StopsItself() {
		return fmt.Errorf("interim analyses are spread over the %s that", format.Several(old.header.Selection.Questions, "question"))
	}
	asked := map[string]bool{}
	for _, item := range p.Items {
		asked[item.ID] = true
	}
	for _, item := range old.Items {
		if !asked[item.ID] {
			return fmt.Errorf("these %s are not all of the %s that", format.Several(p.header.Selection.Questions, "question"),
				format.Count(old.header.Selection.Questions))
		}
	}
	return nil
}

// inOrderOf has the plan ask the questions of each draw before those that later ones add. What a prompt shares with those
// before it depends on the order, which a run keeps that is extended.
func (p *Plan) inOrderOf(draws []journal.Draw, set *dataset.Set, selection dataset.Selection) error {
	if len(draws) == 0 {
		return nil
	}
	p.header.Extended = draws
	p.blocks = nil
	left := stopping.All(len(p.Items))
	for _, draw := range draws {
		questions, err := set.Select(drawing(selection, draw))
		if err != nil {
			return err
		}
		drawn := map[int]bool{}
		for _, question := range questions {
			drawn[question.ID] = true
		}
		var first []int
		for _, i := range left {
			if drawn[p.Items[i].QuestionID] {
				first = append(first, i)
			}
		}
		left = slices.DeleteFunc(left, func(i int) bool { return drawn[p.Items[i].QuestionID] })
		p.blocks = append(p.blocks, first)
	}
	p.blocks = append(p.blocks, left)
	return nil
}

// extend gives the journal of a run that is extended its larger selection, and says so.
func (s *Session) extend(plan *Plan, folder string) error {
	if plan.extends == 0 {
		return nil
	}
	if err := journal.Extend(folder, s.header(plan)); err != nil {
		return err
	}
	Tell(s.OnPlan, fmt.Sprintf("extends the run in %s from %s to %s of the same draw, which begins with those", folder,
		format.Count(plan.extends), format.Several(plan.header.Selection.Questions, "question")))
	return nil
}
