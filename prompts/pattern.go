package prompts

import (
	"fmt"

	"gonum.org/v1/gonum/stat/combin"

	"proctor/backends/setting"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
)

// most is the largest number of options for which every order becomes an item: four options have 24 orders.
const most = 4

// eachOrder makes one item of every order of the options that the pattern calls for.
func eachOrder(q dataset.Question, wanted string) ([]variant, error) {
	patterns, err := patterns(q, wanted)
	if err != nil {
		return nil, err
	}
	variants := make([]variant, len(patterns))
	for i, p := range patterns {
		variants[i] = variant{name: p.String(), question: p.apply(q)}
	}
	return variants, nil
}

// A pattern says where each option now stands: original option i at index pattern[i].
type pattern []int

// String is OpenCompass's name for the pattern: BCDA is the first of four rotations.
func (p pattern) String() string {
	name := make([]byte, 0, len(p))
	for _, place := range p {
		name = append(name, dataset.Letter(place)...)
	}
	return string(name)
}

func (p pattern) apply(q dataset.Question) dataset.Question {
	options := make([]string, len(p))
	for i, place := range p {
		options[place] = q.Options[i]
	}
	gold := p[q.Gold()]
	q.Options, q.Answer, q.AnswerIndex = options, dataset.Letter(gold), gold
	return q
}

// patterns lists the orders of q's options; the original order comes first.
func patterns(q dataset.Question, wanted string) ([]pattern, error) {
	n := len(q.Options)
	if wanted != task.AllPossible {
		return rotations(n), nil
	}
	if n > most {
		return nil, fmt.Errorf("question %d has %d options and so more than %d orders: leave %s out, which asks the %d rotations",
			q.ID, n, combin.NumPermutations(most, most), setting.Pattern, n)
	}
	var all []pattern
	for _, order := range combin.Permutations(n, n) { // in lexicographic order
		all = append(all, order)
	}
	return all, nil
}

func rotations(n int) []pattern {
	patterns := make([]pattern, n)
	for shift := range patterns {
		patterns[shift] = make(pattern, n)
		for i := range n {
			patterns[shift][i] = (i + shift) % n
		}
	}
	return patterns
}
