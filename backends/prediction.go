package backends

import "context"

// A Prediction is a model's for one token of a completion, after the prompt and all tokens before it. Probabilities are over the whole
// vocabulary, at temperature 1 and without penalties. Logarithms are natural.
type Prediction struct {
	Token       int32     // that the completion has there; it may be one that ends texts
	Logprob     float64   // of it
	Entropy     float64   // of all tokens, in nat; NaN where only the likeliest are known
	Top         []Logprob // as many of the likeliest tokens as [Request.Logprobs] says, the likeliest first
	Rest        float64   // logarithm of what all tokens that are not in Top have together; -Inf where there are none
	AskLogprobs []float64 // log-probabilities of the tokens that [Forced.Ask] names there
}

// TopLogprobs is how many of the likeliest tokens are kept of a run.
const TopLogprobs = 64

// Logprob is a token with the logarithm of its probability.
type Logprob struct {
	Token   int32
	Logprob float64
}

// Forced is a completion that is given instead of drawn.
type Forced struct {
	Tokens []int32   // at least one
	Ask    [][]int32 // beside each token, others whose log-probabilities are wanted too; nil for none

	// Replaces is how many of the prompt's last tokens Tokens stand in place of: a text behind a prompt may merge with its end.
	Replaces int
}

// A Scorer is a Model that returns log-probabilities ([Request.Logprobs]) and reads given completions ([Request.Forced]).
type Scorer interface {
	// VocabularySHA256 identifies tokenizer and vocabulary: under the same one, token ids mean the same. It is empty where that is unknown.
	VocabularySHA256() string
	// Piece is the text of a token, which may be a part of a character.
	Piece(token int32) string
	// TokenOf is the token of a text that is a single one.
	TokenOf(piece string) (token int32, found bool)
}

// A Scorable is a Model behind a server: Scoring finds out whether the server can do what a [Scorer] needs.
type Scorable interface {
	// Scoring returns the model as a [Scorer] that asks the same servers: closing one closes both. The error says what a server lacks.
	Scoring(ctx context.Context) (Model, error)
}
