// Package logits reduces scores of all tokens of a vocabulary, as a decode computes them, to the likeliest token and to predictions:
// log-probabilities, entropies, and the divergence from a reference. It is C++ where cgo is, since compilers of C++ use vector
// instructions for it, and Go elsewhere: a vocabulary has 150,000 tokens.
package logits

// None is the likeliest token of scores that are no numbers.
const None int32 = -1

// A Place is where a prediction is wanted.
type Place struct {
	Scores    []float32 // of all tokens
	Reference []float32 // those of a second model; nil without one
	Token     int32     // that follows
	Ask       []int32   // others whose log-probabilities are wanted
}
