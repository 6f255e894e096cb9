// Package stopping is of runs that end by themselves: in which blocks they ask, and when what they know is enough.
//
// A block is the items that are asked between two interim analyses, as indices into the run's items, in order. A run ends once its
// headline's interval is narrow, a [HalfWidth], or once it is decided how it does beside another run, a [Reference].
package stopping

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/journal"
	"proctor/runner/mark/metrics"
)

// A Rule ends a run.
type Rule interface {
	// Interim analyses what the journal at path holds after a block, which have numbers from 1. last says that it was the last.
	Interim(path string, number int, last bool) (journal.Interim, error)
}

// A run that may stop by itself looks for the first time after firstQuestions, then whenever an eighth more is answered. The result
// stays valid however often it looks; but at each look slots run empty, and prompts share fewer beginnings.
const (
	firstQuestions = 100
	growth         = 8
)

// Ends are the numbers of questions after which a run of so many at most sees whether it may stop; the last is all of them.
func Ends(questions int) []int {
	var ends []int
	for end := min(firstQuestions, questions); ; end = min(end+end/growth, questions) {
		if ends = append(ends, end); end == questions {
			return ends
		}
	}
}

// ByChance draws from all of a selection's questions by chance alone, which is what [stats.MeanSequence] rests on: the first of the
// order of [journal.Selection.Rank], as many as the limit says.
func ByChance(set *dataset.Set, selection dataset.Selection) ([]dataset.Question, error) {
	limit := selection.Limit
	switch {
	case selection.First:
		return nil, errors.New("stopping at a half width needs questions drawn by chance, not the first ones of the file")
	case selection.BySubject():
		return nil, fmt.Errorf("%s draws from all subjects alike: give %s as a number of questions", setting.UntilHalfWidth, setting.Limit)
	case len(selection.Like) > 0:
		return nil, fmt.Errorf("%s draws its questions by chance: leave %s out", setting.UntilHalfWidth, setting.Like)
	}
	selection.Limit = 0
	questions, err := set.Select(selection)
	if err != nil || limit <= 0 || limit >= len(questions) {
		return questions, err
	}
	drawn := map[int]bool{}
	for _, i := range chanceOrder(questions, selection.Seed)[:limit] {
		drawn[i] = true
	}
	var picked []dataset.Question
	for i, question := range questions {
		if drawn[i] {
			picked = append(picked, question)
		}
	}
	return picked, nil
}

// chanceOrder is the order of a selection's questions, as indices.
func chanceOrder(questions []dataset.Question, seed uint64) []int {
	draw, ranks := journal.Selection{Seed: seed}, make([]string, len(questions))
	for i, q := range questions {
		ranks[i] = draw.Rank(q.Subject, q.ID)
	}
	order := All(len(questions))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	return order
}

// Blocks are the questions' items in blocks of that order, each asked in the order in which prompts share beginnings.
func Blocks(questions []dataset.Question, seed uint64, items []prompts.Item) [][]int {
	type question struct {
		subject string
		id      int
	}
	itemsOf := map[question][]int{}
	for i, item := range items {
		of := question{item.Subject, item.QuestionID}
		itemsOf[of] = append(itemsOf[of], i)
	}
	order, asked := chanceOrder(questions, seed), 0
	var blocks [][]int
	for _, end := range Ends(len(questions)) {
		var next []int
		for _, i := range order[asked:end] {
			next = append(next, itemsOf[question{questions[i].Subject, questions[i].ID}]...)
		}
		slices.Sort(next)
		blocks, asked = append(blocks, next), end
	}
	return blocks
}

// All is the only block of n items that are asked in their order.
func All(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// A HalfWidth, a share, ends a run once the headline's interval is no wider than ± that.
type HalfWidth float64

// Interim reports what the journal holds and decides by that: the interval is the one that the final report will show.
func (width HalfWidth) Interim(path string, number int, last bool) (journal.Interim, error) {
	r, err := metrics.Open(path, metrics.Options{AtInterim: true})
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
	reached, defined := r.Headline.CI.HalfWidth().Get()
	if defined {
		interim.HalfWidth = &reached
	}
	switch {
	case defined && reached <= float64(width):
		interim.Stop = journal.StopNarrow
	case last:
		interim.Stop = journal.StopAsked
	}
	return interim, nil
}
