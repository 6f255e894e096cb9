package journal

import (
	"fmt"
	"math"
)

// Direct says how a run of a task's direct variant asked for the letters.
type Direct struct {
	// Spellings are the tokens that write the letter A where the answer stands, such as "A" and " A"; the other letters have the
	// same ones. A letter's probability is the sum of its spellings'.
	Spellings []string `json:"spellings"`
}

// logprobSlack is by how much rounding may put a sum of probabilities above 1, as a logarithm.
const logprobSlack = 1e-6

// checkLetters refuses letter_logprobs that are none.
func (r *Record) checkLetters() error {
	if r.LetterLogprobs == nil {
		return nil
	}
	if len(r.LetterLogprobs) != r.Options {
		return fmt.Errorf("%s: letter_logprobs are %d of %d letters", r.ID, len(r.LetterLogprobs), r.Options)
	}
	mass := 0.0
	for i, l := range r.LetterLogprobs {
		if math.IsNaN(l) || l > logprobSlack {
			return fmt.Errorf("%s: letter_logprobs: %g of letter %c is not the logarithm of a probability", r.ID, l, 'A'+i)
		}
		mass += math.Exp(l)
	}
	if math.Log(mass) > logprobSlack {
		return fmt.Errorf("%s: letter_logprobs: the letters' probabilities add up to %g", r.ID, mass)
	}
	return nil
}
