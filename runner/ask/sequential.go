package ask

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/journal"
	"proctor/runner/mark/metrics"
)

// When a run that may stop by itself sees whether it does: after so many questions, and each time when they are an eighth more. How
// often that is changes nothing in what it shows; between two times, slots run empty and prompts share fewer beginnings.
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

// byChance draws from all of a selection's questions by chance alone, which is what [stats.MeanSequence] rests on: the first of the
// order of [journal.Selection.Rank], as many as the limit says.
func byChance(set *dataset.Set, selection dataset.Selection) ([]dataset.Question, error) {
	limit := selection.Limit
	switch {
	case selection.First:
		return nil, errors.New("stopping at a half width needs questions drawn by chance, not the first ones of the file")
	case selection.BySubject():
		return nil, errors.New("--until-half-width draws from all subjects alike: give --limit as a number of questions")
	case len(selection.Like) > 0:
		return nil, errors.New("--until-half-width draws its questions by chance: leave --like out")
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
	order := everything(len(questions))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	return order
}

// batchesOf are the questions' items in blocks of that order, each asked in the order in which prompts share beginnings.
func batchesOf(questions []dataset.Question, seed uint64, items []prompts.Item) []batch {
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
	var batches []batch
	for _, end := range Ends(len(questions)) {
		var next batch
		for _, i := range order[asked:end] {
			next = append(next, itemsOf[question{questions[i].Subject, questions[i].ID}]...)
		}
		slices.Sort(next)
		batches, asked = append(batches, next), end
	}
	return batches
}

// sequentially asks batch after batch, and after each sees whether the headline's interval is narrow enough, where that is to
// end the run. Interim
// analyses that the journal holds already are not done again: what they decided stands, also where failed items have since
// been answered.
func (a *asking) sequentially(ctx context.Context) error {
	taken := map[int]journal.Stop{}
	for _, interim := range a.resume.Interims {
		if interim.Shard == 0 {
			taken[interim.Number] = interim.Stop
		}
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
