package tune

import (
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/engine"
)

type free struct{}

func (free) Threads(most int) int { return most }

// Numbers of threads take turns on a run's batches, prompts and answers apart, and the fastest stays.
func TestThreadsAreFoundOnARunsOwnBatches(t *testing.T) {
	for _, test := range []struct {
		all, fast int
		numbers   []int
		fastest   int // of answers; prompts are fastest on all
	}{
		{2, 0, []int{2}, 2},
		{16, 0, []int{16, 8, 4}, 8},
		{16, 6, []int{16, 8, 6, 4}, 6},
		{16, 0, []int{16, 8, 4}, 16},
	} {
		found := NewThreads(test.all, test.fast, free{})
		assert.DeepEqual(t, found.answers.numbers, test.numbers)
		for _, kind := range []struct {
			race    *race
			fastest int
		}{{&found.prompts, test.all}, {&found.answers, test.fastest}} {
			for n := 0; !kind.race.over(); n++ {
				threads := kind.race.next()
				far := max(threads, kind.fastest) - min(threads, kind.fastest)
				kind.race.took(10+n%3, time.Duration(10+n%3)*time.Duration(100+10*far))
			}
			assert.Equal(t, kind.race.next(), kind.fastest, "of %v", test.numbers)
		}
		prompt, answer := engine.Batch{{}, {Draw: true}}, engine.Batch{{Draw: true}, {Draw: true}}
		found.Next(prompt)()
		assert.Equal(t, found.Threads(64), test.all)
		found.Next(answer)()
		assert.Equal(t, found.Threads(64), test.fastest)
		assert.Equal(t, found.Threads(1), 1)
	}
}

// Each computes as many batches as the others, whatever their size, and chance changes nothing.
func TestARaceOfThreadsIsFair(t *testing.T) {
	r := newRace([]int{8, 4})
	seen := map[int]int{}
	for !r.over() {
		seen[r.next()]++
		r.took(1, time.Duration(1000-10*(r.turn%2))) // fewer threads are faster by a hundredth
	}
	assert.DeepEqual(t, seen, map[int]int{8: turns, 4: turns})
	assert.Assert(t, slices.Equal(r.numbers, []int{8}))
}
