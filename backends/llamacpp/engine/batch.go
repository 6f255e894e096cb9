package engine

import (
	"errors"

	"proctor/backends"
)

// A Token is a place of a batch: a token of a sequence, at its position there.
type Token struct {
	ID, Position, Sequence int32
	Draw                   bool     // the scores of the token that follows are computed
	Sampler                *Sampler // how it is drawn from them; nil takes the likeliest
}

// A Sampler says how one token is drawn.
type Sampler struct {
	backends.Sampling
	Before   []int32 // tokens of prompt and completion that penalties look back on; more may be given
	Position int     // in the completion
}

// A Batch is the tokens of one decode, in the order of their sequences' numbers.
type Batch []Token

// NoToken is drawn where scores are not numbers.
const NoToken int32 = -1

// Undrawn says why no token was drawn; nil for a token.
func Undrawn(drawn int32) error {
	if drawn == NoToken {
		return errors.New("the model's scores are not numbers: the file is damaged, or its numbers overflow on this engine")
	}
	return nil
}

// A Place is one of the last batch, decoded with Draw, whose prediction is wanted. Token and those of Ask are tokens of the
// vocabulary.
type Place struct {
	At    int     // in the batch
	Token int32   // that follows there
	Ask   []int32 // others whose log-probabilities are wanted
}

// ErrCancelled is returned by a decode that was cancelled.
var ErrCancelled = errors.New("cancelled")

// DecodeError is a failure to decode a batch.
type DecodeError struct {
	Cause  backends.Cause
	Reason string
}

func (e *DecodeError) Error() string { return e.Reason }
