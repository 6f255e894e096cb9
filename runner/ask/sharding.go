package ask

import (
	"slices"

	"proctor/backends"
	"proctor/runner/ask/shard"
	"proctor/runner/ask/stopping"
	"proctor/runner/journal"
)

// divide has the plan ask a part of its questions, with all their items. The header stays that of the whole run but for its shard,
// and so does its fingerprint. What is left out goes with narrow: a conversation's preamble is what all of the run's have in common.
// maxTokens is the cap that the run began with.
func (p *Plan) divide(part shard.Part, maxTokens int) error {
	questions, of := p.questions(maxTokens)
	preamble := map[string]int{}
	for subject, text := range p.header.Preambles {
		preamble[subject], _ = Estimate(text)
	}
	ends, err := shard.Divide(questions, preamble, part.Count)
	if err != nil {
		return err
	}
	from, end := slices.Concat([]int{0}, ends)[part.Index-1], ends[part.Index-1]
	var ids []string
	for i, item := range p.Items {
		if from <= of[i] && of[i] < end {
			p.mine, ids = append(p.mine, i), append(ids, item.ID)
		}
	}
	p.header.Shard = &journal.Shard{
		Index: part.Index, Count: part.Count, Questions: end - from, Items: len(ids), IDsSHA256: journal.DigestIDs(ids),
	}
	return nil
}

// questions are those of the plan as dividing takes them, in order, and beside each item which of them it is of.
func (p *Plan) questions(maxTokens int) (all []shard.Question, of []int) {
	type question struct {
		subject string
		id      int
	}
	at := map[question]int{}
	for _, item := range p.Items {
		key := question{item.Subject, item.QuestionID}
		i, known := at[key]
		if !known {
			i = len(all)
			at[key] = i
			all = append(all, shard.Question{Subject: item.Subject})
		}
		tokens, _ := Estimate(item.Text)
		all[i].Tokens += tokens + min(backends.AssumedOutput, maxTokens)
		of = append(of, i)
	}
	return all, of
}

// narrow leaves out what other shards ask.
func (p *Plan) narrow() {
	if p.mine == nil {
		return
	}
	p.Items, p.repeats = at(p.Items, p.mine), at(p.repeats, p.mine)
	p.blocks = [][]int{stopping.All(len(p.mine))}
	p.mine, p.measured = nil, nil
}

// at are the values at some places.
func at[T any](all []T, places []int) []T {
	some := make([]T, len(places))
	for i, place := range places {
		some[i] = all[place]
	}
	return some
}

// asks is how many questions the plan asks: a shard's, where it is one.
func (p *Plan) asks() int {
	if s := p.header.Shard; s != nil {
		return s.Questions
	}
	return p.header.Selection.Questions
}
