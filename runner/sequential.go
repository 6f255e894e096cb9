package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/journal"
	"proctor/runner/metrics"
)

// The schedule of a run that goes on until its interval is narrow enough. It depends on the questions alone, never on
// the answers, so that a resumed run keeps it. Batches grow with what was asked: a fixed size would mean many interim analyses,
// each of which favours intervals that happen to be narrow, for precision that hardly changes from one to the next.
const (
	firstItems     = 200 // at least, in the first batch
	firstQuestions = 100 // at least, in the first batch: intervals by question need that many
	growth         = 4   // each later batch is a quarter of what was asked before it
)

// A batch is the items that are asked between two interim analyses, as indices into the plan's items, in order.
type batch []int

// everything is the batch of n items.
func everything(n int) batch {
	all := make(batch, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// batchesOf shares the items out. Up to the end of every batch exactly those questions have been asked that a selection
// with their number as limit draws, which is what makes the batches stratified and the order seeded.
func batchesOf(set *dataset.Set, selection dataset.Selection, questions int, items []prompts.Item) ([]batch, error) {
	if selection.First {
		return nil, errors.New("stopping at a half width needs questions in drawn order, not the first ones of the file")
	}
	itemsOf := map[int][]int{}
	for i, item := range items {
		itemsOf[item.QuestionID] = append(itemsOf[item.QuestionID], i)
	}
	asked := make([]bool, len(items))
	total := 0
	var batches []batch
	for limit := min(firstQuestions, questions); ; {
		draw := selection
		draw.Limit = limit
		drawn, err := set.Select(draw)
		if err != nil {
			return nil, err
		}
		var next []int
		for _, question := range drawn {
			for _, i := range itemsOf[question.ID] {
				if !asked[i] {
					next = append(next, i)
				}
			}
		}
		if short := firstItems - len(next); len(batches) == 0 && short > 0 && limit < questions {
			limit = min(limit+short, questions) // a question has one item at least
			continue
		}
		for _, i := range next {
			asked[i] = true
		}
		total += len(next)
		slices.Sort(next)
		batches = append(batches, next)
		if limit == questions {
			break
		}
		limit = min(limit+(limit+growth-1)/growth, questions)
	}
	if total != len(items) {
		return nil, fmt.Errorf("the batches hold %d of %d items", total, len(items))
	}
	return batches, nil
}

// sequentially asks batch after batch, and after each sees whether the headline's interval is narrow enough, where that is to
// end the run. Interim
// analyses that the journal holds already are not done again: what they decided stands, also where failed items have since
// been answered.
func (a *asking) sequentially(ctx context.Context) error {
	taken := map[int]journal.Stop{}
	for _, interim := range a.resume.Interims {
		taken[interim.Number] = interim.Stop
	}
	for i, batch := range a.batches {
		if err := a.ask(ctx, batch); err != nil {
			return err
		}
		if !a.header.Selection.StopsItself() {
			continue
		}
		stop, before := taken[i+1]
		if !before {
			look := a.interim
			if a.rival != nil {
				look = a.decision
			}
			interim, err := look(a.to.Path(), i+1)
			if err != nil {
				return err
			}
			if err := a.to.AppendInterim(interim); err != nil {
				return err
			}
			if a.Interim != nil {
				a.Interim(&interim)
			}
			stop = interim.Stop
		}
		if stop != "" {
			return nil
		}
	}
	return nil
}

// interim reports what the journal holds and decides by that: the interval is the one that the final report will show.
func (p *Plan) interim(path string, number int) (journal.Interim, error) {
	r, err := metrics.Open(path, metrics.Options{})
	if err != nil {
		return journal.Interim{}, err
	}
	interim := journal.Interim{
		Number: number, Questions: r.Questions, Items: r.Items, Errors: r.Errors,
		RuleSet: r.RuleSet, Headline: r.Headline.Name, Confidence: r.Confidence,
	}
	if value, defined := r.Headline.Value.Get(); defined {
		interim.Value = &value
	}
	width, defined := r.Headline.CI.HalfWidth().Get()
	if defined {
		interim.HalfWidth = &width
	}
	switch {
	case defined && width <= p.header.Selection.UntilHalfWidth:
		interim.Stop = journal.StopNarrow
	case number == len(p.batches):
		interim.Stop = journal.StopAsked
	}
	return interim, nil
}
