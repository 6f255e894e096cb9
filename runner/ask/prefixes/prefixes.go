// Package prefixes counts the tokens of prompts, and the new ones, which no earlier prompt begins with: those that a model has to
// compute. Neighbours: package ask keeps them in its plans.
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

// surelyLongest is the number of apparently longest prompts that are tokenised whole.
const surelyLongest = 16

// Tokens are the tokens of items' prompts. A prompt is tokenised when it is first needed: thousands take seconds, and most can wait
// until the first questions are answered.
//
// Preambles are long and the same for a whole subject, so only one prompt of a subject is tokenised whole, the others from a little
// before the place where they differ; see [splitter].
type Tokens struct {
	items     []prompts.Item
	tokenizer backends.Tokenizer
	all       []*tokens // by item; nil until needed
	first     map[variant]*tokens
	splits    map[beginning]*splitter
}

// Of makes the tokens of items' prompts.
func Of(items []prompts.Item, tokenizer backends.Tokenizer) *Tokens {
	return &Tokens{items, tokenizer, make([]*tokens, len(items)), map[variant]*tokens{}, map[beginning]*splitter{}}
}

// of is one prompt's tokens.
func (t *Tokens) of(i int) (*tokens, error) {
	if t.all[i] != nil {
		return t.all[i], nil
	}
	item := &t.items[i]
	same := variant{item.Subject, item.QuestionID, item.Variant}
	found, repeats := t.first[same]
	switch {
	case repeats:
	case Oversize(item):
		found = &tokens{} // it is not asked
	default:
		var err error
		if found, err = t.split(i).tokens(t.tokenizer, item.Text); err != nil {
			return nil, err
		}
		t.first[same] = found
	}
	t.all[i] = found
	return found, nil
}

// split is the splitter for the prompts that begin as this item's does.
func (t *Tokens) split(i int) *splitter {
	begins := beginning{t.items[i].Subject, t.items[i].Preamble}
	if t.splits[begins] == nil {
		t.splits[begins] = &splitter{preamble: begins.preamble}
	}
	return t.splits[begins]
}

// A beginning is common to several prompts. A subject has several where some items have fewer shots.
type beginning struct{ subject, preamble string }

// A variant identifies an item without its repeats.
type variant struct {
	subject  string
	question int
	name     string
}

// New counts each item's new tokens where the prompts are asked in this order; see [journal.Record]. They depend only on the prompts
// before.
func (t *Tokens) New(order []int) ([]int, error) {
	ordered := make([]*tokens, len(order))
	for place, i := range order {
		var err error
		if ordered[place], err = t.of(i); err != nil {
			return nil, err
		}
	}
	added := make([]int, len(t.items))
	for place, n := range newTokens(ordered) {
		added[order[place]] = n
	}
	return added, nil
}

const (
	surely  = 512 // up to this many prompts are all counted; of more, only stretches of the order with about as many prompts
	stretch = 16  // prompts of a stretch
)

// Unique is the total of new tokens in an order; an estimate for many prompts.
func (t *Tokens) Unique(order []int) (int, error) {
	apart, seen := max(stretch, len(order)*stretch/surely), map[*splitter]bool{}
	var sample, firsts, others []int
	for place, i := range order {
		split, at := t.split(i), place%apart
		switch {
		case !seen[split]:
			seen[split] = true
			firsts = append(firsts, i)
		case 0 < at && at < stretch || apart == stretch: // the first of a stretch shares more with prompts that are left out
			others = append(others, i)
		case at > 0:
			continue
		}
		sample = append(sample, i)
	}
	added, err := t.New(sample)
	if err != nil {
		return 0, err
	}
	sum, rest := 0, 0
	for _, i := range firsts {
		sum += added[i]
	}
	for _, i := range others {
		rest += added[i]
	}
	return sum + rest*(len(order)-len(firsts))/max(1, len(others)), nil
}

// Lengths counts each item's tokens.
func (t *Tokens) Lengths() ([]int, error) {
	counts := make([]int, len(t.items))
	for i := range t.items {
		n, err := t.of(i)
		if err != nil {
			return nil, err
		}
		counts[i] = n.len()
	}
	return counts, t.again(counts)
}

// Longest counts the tokens of the longest prompt. A text has no more tokens than bytes, so most prompts need not be tokenised for it.
func (t *Tokens) Longest() (int, error) {
	most, counts, bounds := 0, make([]int, len(t.items)), make([]int, len(t.items))
	for i := range t.items {
		if split := t.split(i); split.example != nil && !Oversize(&t.items[i]) {
			bounds[i] = split.from + len(split.preamble) - split.leadAt() + len(t.items[i].Text) + 1
			continue
		}
		n, err := t.of(i)
		if err != nil {
			return 0, err
		}
		counts[i] = n.len()
		most = max(most, counts[i])
	}
	for _, i := range falling(bounds) {
		if bounds[i] <= most {
			break
		}
		n, err := t.of(i)
		if err != nil {
			return 0, err
		}
		counts[i] = n.len()
		most = max(most, counts[i])
	}
	err := t.again(counts)
	most = 0
	for _, n := range counts {
		most = max(most, n)
	}
	return most, err
}

// again counts the longest prompts in one piece.
func (t *Tokens) again(counts []int) error {
	for _, i := range falling(counts)[:min(surelyLongest, len(counts))] {
		if counts[i] == 0 {
			break
		}
		ids, err := t.tokenizer.Tokenize(t.items[i].Prompt())
		if err != nil {
			return err
		}
		counts[i] = len(ids)
	}
	return nil
}

// falling are the places of numbers, the largest one's first.
func falling(numbers []int) []int {
	all := indices(len(numbers))
	slices.SortStableFunc(all, func(a, b int) int { return numbers[b] - numbers[a] })
	return all
}

// indices are the numbers from 0 to n, without n.
func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
