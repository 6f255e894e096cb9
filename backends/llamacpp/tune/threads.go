package tune

import (
	"slices"
	"time"

	"proctor/backends/llamacpp/engine"
)

const (
	turns        = 24   // batches of a kind that each number of threads computes
	gain         = 0.97 // fewer threads are taken where a token takes less than this share of the time
	leastThreads = 4    // so few seldom wait for memory
)

// Threads finds on how many threads an engine computes a run's own batches fastest: some numbers take turns at first. Fewer than all are
// faster where slow cores hold the fast ones up, and where all of them wait for the memory. It is the engine's [engine.Watch]; texts do
// not depend on it.
type Threads struct {
	watch            engine.Watch
	prompts, answers race
	now              int
}

// NewThreads tries fewer threads than all of them, where that may be faster. fast is how many cores are, where they are of two kinds; watch
// says how many are left.
func NewThreads(all, fast int, watch engine.Watch) *Threads {
	numbers := []int{all}
	if 0 < fast && fast < all {
		numbers = append(numbers, fast)
	}
	for n := all / 2; n >= leastThreads; n /= 2 {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	slices.Reverse(numbers)
	return &Threads{watch: watch, prompts: newRace(numbers), answers: newRace(numbers), now: all}
}

// Threads implements [engine.Watch].
func (t *Threads) Threads(most int) int { return t.watch.Threads(min(most, t.now)) }

// Next sets the number of threads for a batch that is computed now, and returns what is to be called once it is.
func (t *Threads) Next(b engine.Batch) (computed func()) {
	kind := &t.answers
	if slices.ContainsFunc(b, func(token engine.Token) bool { return !token.Draw }) {
		kind = &t.prompts
	}
	if kind.over() {
		t.now = kind.numbers[0]
		return func() {}
	}
	t.now = kind.next()
	began := time.Now()
	return func() { kind.took(len(b), time.Since(began)) }
}

// A race is one of numbers of threads. Once it is over, a single one is left.
type race struct {
	numbers []int // the most first
	tokens  []int // that each has computed, and how long it took
	spent   []time.Duration
	turn    int
}

func newRace(numbers []int) race {
	return race{numbers: slices.Clone(numbers), tokens: make([]int, len(numbers)), spent: make([]time.Duration, len(numbers))}
}

func (r *race) over() bool { return len(r.numbers) == 1 }

func (r *race) next() int { return r.numbers[r.turn%len(r.numbers)] }

// took books a batch of the number whose turn it is.
func (r *race) took(tokens int, time time.Duration) {
	i := r.turn % len(r.numbers)
	r.tokens[i] += tokens
	r.spent[i] += time
	if r.turn++; r.turn == turns*len(r.numbers) {
		r.end()
	}
}

// end leaves the number that was fastest: all, unless another one gains more than chance does.
func (r *race) end() {
	best := 0
	each := func(i int) float64 { return r.spent[i].Seconds() / float64(r.tokens[i]) }
	for i := range r.numbers {
		if each(i) < gain*each(best) {
			best = i
		}
	}
	r.numbers = r.numbers[best : best+1]
}
