package prompts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"proctor/backends/setting"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
)

// unsampled is how many orders of one question are asked without MaxPatterns: all of four options.
const unsampled = 24

// eachOrder makes one item of every order of the options that the pattern calls for.
func eachOrder(q dataset.Question, e Expansion) ([]variant, error) {
	patterns, err := e.patterns(q)
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

// shuffled is the order in which a question's n options stand where they are shuffled: it depends on the seed and the
// question only.
func shuffled(n int, seed uint64, id int) pattern {
	return rand.New(rand.NewPCG(seed, uint64(id))).Perm(n)
}

// patterns lists the orders in which q is asked; the original order comes first.
func (e Expansion) patterns(q dataset.Question) ([]pattern, error) {
	n := len(q.Options)
	if e.Pattern != task.AllPossible {
		return rotations(n), nil
	}
	if n > countable {
		return e.drawn(q, n)
	}
	total := factorial(n)
	if e.MaxPatterns == 0 && total > unsampled {
		return nil, tooMany(q, n, strconv.Itoa(total))
	}
	if e.MaxPatterns == 0 || e.MaxPatterns >= total {
		return ranked(n, consecutive(total)), nil
	}
	return ranked(n, e.sampleRanks(q, total)), nil
}

func tooMany(q dataset.Question, options int, orders string) error {
	return fmt.Errorf("question %d has %d options and so %s orders, more than %d; sample them with %s",
		q.ID, options, orders, unsampled, setting.MaxPatterns.As("N"))
}

// countable is the largest number of options whose orders an int can count.
const countable = 20

// drawn samples orders of more options than are countable: the original order, then shuffles. That two of so many orders are
// the same does not happen in practice; such a one is drawn again.
func (e Expansion) drawn(q dataset.Question, n int) ([]pattern, error) {
	if e.MaxPatterns == 0 {
		return nil, tooMany(q, n, "more than 10¹⁹")
	}
	random := e.random(q)
	patterns := []pattern{consecutive(n)}
	for len(patterns) < e.MaxPatterns {
		p := pattern(random.Perm(n))
		if !slices.ContainsFunc(patterns, func(other pattern) bool { return slices.Equal(other, p) }) {
			patterns = append(patterns, p)
		}
	}
	return patterns, nil
}

// sampleRanks picks MaxPatterns of total ranks, the original order among them.
func (e Expansion) sampleRanks(q dataset.Question, total int) []int {
	random := e.random(q)
	taken := map[int]bool{0: true}
	ranks := []int{0}
	for len(ranks) < e.MaxPatterns {
		if r := random.IntN(total); !taken[r] {
			taken[r] = true
			ranks = append(ranks, r)
		}
	}
	slices.Sort(ranks)
	return ranks
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

// ranked returns the permutations of n with the given ranks in lexicographic order.
func ranked(n int, ranks []int) []pattern {
	patterns := make([]pattern, len(ranks))
	for i, rank := range ranks {
		places := consecutive(n)
		for left := n - 1; left >= 0; left-- {
			block := factorial(left) // permutations that begin alike up to here
			at := rank / block
			rank %= block
			patterns[i] = append(patterns[i], places[at])
			places = slices.Delete(places, at, at+1)
		}
	}
	return patterns
}

// factorial is the number of permutations of n, at most [countable].
func factorial(n int) int {
	if n < 2 {
		return 1
	}
	return n * factorial(n-1)
}

// consecutive returns 0 to n-1.
func consecutive(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}
