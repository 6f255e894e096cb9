package ask

import (
	"unicode/utf8"

	"proctor/backends"
)

// Cost is what questions have a model read.
type Cost struct {
	Questions    int
	Items        int // repeats included
	PromptTokens int // of every prompt in full
	Subjects     int // whose preambles there are
	Preambles    int // tokens of one of each
	SharedTokens int // where every subject's preamble is read once and the items add their own part only
}

// A Count says how many tokens a text has.
type Count func(text string) (int, error)

// CharsPerToken is what [Estimate] goes by. It is rough: 48 prompts about business had 3.58 characters a
// token with a vocabulary of 32,064 tokens (Phi-3's); other subjects and vocabularies were not measured.
const CharsPerToken = 3.5

// Estimate is a Count from the number of characters, where there is no tokenizer.
func Estimate(text string) (int, error) { return EstimateAt(CharsPerToken)(text) }

// EstimateAt is [Estimate] for a vocabulary that has so many characters a token.
func EstimateAt(chars float64) Count {
	return func(text string) (int, error) { return int(float64(utf8.RuneCountInString(text))/chars + 0.5), nil }
}

// Counting is the exact Count of a model.
func Counting(tokenizer backends.Tokenizer) Count {
	return func(text string) (int, error) {
		ids, err := tokenizer.Tokenize(text)
		return len(ids), err
	}
}

// Cost adds up the prompts. A preamble and an item's own part are counted apart, which can be a token off where
// they meet.
func (p *Questions) Cost(count Count) (Cost, error) {
	cost := Cost{Questions: p.asks(), Items: len(p.Items)}
	preambles := map[string]int{}
	for subject, text := range p.header.Preambles {
		n, err := count(text)
		if err != nil {
			return Cost{}, err
		}
		preambles[subject] = n
		cost.SharedTokens, cost.Preambles, cost.Subjects = cost.SharedTokens+n, cost.Preambles+n, cost.Subjects+1
	}
	times := max(1, p.header.Repeats)
	for i, item := range p.Items {
		if p.repeats[i] > 1 { // the same text
			continue
		}
		n, err := count(item.Text)
		if err != nil {
			return Cost{}, err
		}
		cost.SharedTokens += n * times
		cost.PromptTokens += (n + preambles[item.Subject]) * times
	}
	return cost, nil
}
