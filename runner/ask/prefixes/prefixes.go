// Package prefixes counts the tokens of prompts, and which of them no prompt before begins with: those that a model has to compute.
package prefixes

import (
	"slices"

	"proctor/backends"
	"proctor/prompts"
)

// MostPrompt is how many bytes a prompt may have: a million tokens of English. Longer ones are no item's that a model could answer, and
// would be tokenised for minutes, with gigabytes.
const MostPrompt = 4 << 20

// Oversize says whether an item's prompt is too long to be asked at all.
func Oversize(item *prompts.Item) bool { return len(item.Preamble)+len(item.Text) > MostPrompt }

// surelyLongest is how many of the prompts that seem longest are counted as a whole.
const surelyLongest = 16

// Tokens are those of the items' prompts, in the items' order.
type Tokens []*tokens

// Of tokenises the prompts of items. Preambles are long and the same for a whole subject, so only one prompt of a subject is tokenised
// as a whole, the others from a little before the place where they part; see [splitter].
func Of(items []prompts.Item, tokenizer backends.Tokenizer) (Tokens, error) {
	all := make(Tokens, len(items))
	first := map[variant]*tokens{}
	splits := map[beginning]*splitter{}
	for i := range items {
		item := &items[i]
		same := variant{item.Subject, item.QuestionID, item.Variant}
		if all[i] = first[same]; all[i] != nil { // a repeat
			continue
		}
		if Oversize(item) {
			all[i] = &tokens{} // it is not asked
			continue
		}
		begins := beginning{item.Subject, item.Preamble}
		split := splits[begins]
		if split == nil {
			split = &splitter{tokenizer: tokenizer, preamble: item.Preamble}
			splits[begins] = split
		}
		var err error
		if all[i], err = split.tokens(item.Text); err != nil {
			return nil, err
		}
		first[same] = all[i]
	}
	return all, nil
}

// beginning is what prompts have in common. A subject has several where some items show fewer shots.
type beginning struct{ subject, preamble string }

// variant is what repeats of an item have in common.
type variant struct {
	subject  string
	question int
	name     string
}

// New counts, beside each prompt, the tokens that are new where the prompts are asked in an order; see [journal.Record].
func (t Tokens) New(order []int) []int {
	asked := make([]*tokens, len(order))
	for place, i := range order {
		asked[place] = t[i]
	}
	added := make([]int, len(t))
	for place, n := range newTokens(asked) {
		added[order[place]] = n
	}
	return added
}

// Lengths counts each item's tokens. The longest prompts are counted again in one piece.
func (t Tokens) Lengths(items []prompts.Item, tokenizer backends.Tokenizer) ([]int, error) {
	counts := make([]int, len(t))
	for i := range t {
		counts[i] = t[i].len()
	}
	byLength := indices(len(counts))
	slices.SortStableFunc(byLength, func(a, b int) int { return counts[b] - counts[a] })
	for _, i := range byLength[:min(surelyLongest, len(byLength))] {
		if Oversize(&items[i]) {
			continue
		}
		ids, err := tokenizer.Tokenize(items[i].Prompt())
		if err != nil {
			return nil, err
		}
		counts[i] = len(ids)
	}
	return counts, nil
}

// indices are 0 to n-1.
func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
