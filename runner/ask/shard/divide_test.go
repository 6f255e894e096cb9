package shard

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

// made are questions of so many subjects, with lengths drawn by chance.
func made(subjects, each int, seed uint64) (questions []Question, preamble map[string]int) {
	random := rand.New(rand.NewPCG(seed, 1))
	preamble = map[string]int{}
	for s := range subjects {
		subject := fmt.Sprintf("subject %02d", s)
		preamble[subject] = 500 + random.IntN(1500)
		for range 1 + random.IntN(2*each) {
			questions = append(questions, Question{subject, 300 + random.IntN(400)})
		}
	}
	return questions, preamble
}

// loads are the tokens of each shard.
func loads(questions []Question, preamble map[string]int, ends []int) (loads []int, preambles int) {
	from := 0
	for _, end := range ends {
		load := 0
		for i := from; i < end; i++ {
			if i == from || questions[i].Subject != questions[i-1].Subject {
				load += preamble[questions[i].Subject]
				preambles++
			}
			load += questions[i].Tokens
		}
		loads, from = append(loads, load), end
	}
	return loads, preambles
}

func TestDivideLeavesNoQuestionOutAndNoShardEmpty(t *testing.T) {
	for seed := range uint64(40) {
		questions, preamble := made(1+int(seed%14), 30, seed)
		for count := 1; count <= min(40, len(questions)); count++ {
			ends, err := Divide(questions, preamble, count)
			assert.NilError(t, err)
			assert.Assert(t, len(ends) == count && ends[count-1] == len(questions),
				"seed %d: %d shards end at %v of %d questions", seed, count, ends, len(questions))
			for i, end := range ends {
				assert.Assert(t, end > slices.Concat([]int{0}, ends)[i], "seed %d: shard %d of %d is empty: %v", seed, i+1, count, ends)
			}
			again, _ := Divide(questions, preamble, count)
			assert.Assert(t, slices.Equal(ends, again), "a second division is another")
		}
	}
}

func TestDivideBalancesTokens(t *testing.T) {
	questions, preamble := made(14, 850, 7)
	for _, count := range []int{2, 3, 7, 16, 64, 200} {
		ends, err := Divide(questions, preamble, count)
		assert.NilError(t, err)
		each, preambles := loads(questions, preamble, ends)
		total := 0
		for _, load := range each {
			total += load
		}
		mean := float64(total) / float64(count)
		fullest := float64(slices.Max(each))
		assert.Check(t, fullest <= 1.08*mean, "%d shards: the fullest has %.0f tokens, the mean is %.0f", count, fullest, mean)
		assert.Check(t, preambles <= 14+count-1, "%d shards read %d preambles", count, preambles)
	}
}

func TestDivideEndsShardsWithSubjectsWhereItCan(t *testing.T) {
	var questions []Question
	preamble := map[string]int{"a": 1000, "b": 1000, "c": 1000, "d": 1000}
	for _, subject := range []string{"a", "b", "c", "d"} {
		for range 100 {
			questions = append(questions, Question{subject, 500})
		}
	}
	questions[0].Tokens += 700 // a has more than a quarter
	for count, want := range map[int][]int{2: {200, 400}, 4: {100, 200, 300, 400}} {
		ends, err := Divide(questions, preamble, count)
		assert.Check(t, err == nil && slices.Equal(ends, want), "%d shards end at %v, want %v (%v)", count, ends, want, err)
	}
}

func TestShardsWithoutQuestionsAreRefused(t *testing.T) {
	questions, preamble := made(1, 5, 1)
	ends, err := Divide(questions, preamble, len(questions)+1)
	assert.Check(t, err != nil, "shards end at %v", ends)
}
