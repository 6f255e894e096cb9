// Package logits reduces scores of all tokens of a vocabulary, as a decode computes them, to the likeliest token and to predictions:
// log-probabilities and entropies. The kernels' library has it in C++, whose compilers use vector
// instructions for it; where there is no such library it is Go: a vocabulary has up to 262,144 tokens.
package logits

// None is the likeliest token of scores that are no numbers.
const None int32 = -1

// A Place is where a prediction is wanted.
type Place struct {
	Scores []float32 // of all tokens
	Token  int32     // that follows
	Ask    []int32   // others whose log-probabilities are wanted
}
