// Package questions invents multiple-choice questions: text that looks like a benchmark's and has no truth in it, and
// arithmetic that is right. Everything follows from the random source it is given.
//
// language.txt has the words and patterns, prose.go makes sentences of them, knowledge.go questions whose options mean nothing,
// arithmetic.go questions that can be computed. scripts/tools/controlmodel trains on them, scripts/tools/arithmetic writes them as a
// dataset.
package questions

import "math/rand/v2"

// Question is one multiple-choice question. Gold is the index of the right option, -1 where none is right.
type Question struct {
	Subject string
	Text    string
	Options []string
	Gold    int
	// Working is the computation that leads to the answer, one sentence; empty where nothing can be computed.
	Working string
	// Result is the text of the right answer where Working is set.
	Result string
}

// Letter names an option by its index: A, B, C, …
func Letter(index int) string { return string(rune('A' + index)) }

// Subjects are MMLU-Pro's categories.
var Subjects = []string{
	"biology", "business", "chemistry", "computer science", "economics", "engineering", "health",
	"history", "law", "math", "other", "philosophy", "physics", "psychology",
}

// Source draws everything at random. Not safe for concurrent use.
type Source struct{ *rand.Rand }

// NewSource starts stream number stream of a seed.
func NewSource(seed, stream uint64) Source { return Source{rand.New(rand.NewPCG(seed, stream))} }

func (s Source) chance(p float64) bool { return s.Float64() < p }

func (s Source) between(low, high int) int { return low + s.IntN(high-low+1) }

func choose[T any](s Source, list ...T) T { return list[s.IntN(len(list))] }

// early prefers the front of a list ordered by frequency, roughly as Zipf's law has it.
func early(s Source, list []string) string {
	u := s.Float64()
	if s.chance(0.5) {
		u *= u
	}
	return list[int(u*float64(len(list)))]
}
