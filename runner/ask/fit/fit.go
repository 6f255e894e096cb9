// Package fit shows an item fewer shots where its prompt does not fit a context, as the script of MMLU-Pro's authors does.
package fit

import (
	"fmt"
	"slices"

	"proctor/backends"
	"proctor/prompts"
	"proctor/runner/ask/prefixes"
)

// Shots give each of several items as many shots as fit.
type Shots struct {
	Most      int // that the items show
	Room      int // tokens that a prompt may have
	Tokenizer backends.Tokenizer
	// Fewer are the same items in the same order with fewer shots.
	Fewer func(shots int) ([]prompts.Item, error)
}

// Fit puts items with fewer shots in the place of those that do not fit, and returns how many it replaced. An item that does not fit
// without any shot stays as it is.
func (s Shots) Fit(items []prompts.Item) (replaced int, err error) {
	all := make([]int, len(items))
	for i := range all {
		all[i] = i
	}
	left, err := s.unfit(items, all)
	for shots := s.Most - 1; err == nil && shots >= 0 && len(left) > 0; shots-- {
		var fewer []prompts.Item
		if fewer, err = s.Fewer(shots); err != nil {
			break
		}
		if len(fewer) != len(items) {
			return replaced, fmt.Errorf("%d items became %d with %d shots", len(items), len(fewer), shots)
		}
		was := left
		if left, err = s.unfit(fewer, was); err != nil {
			break
		}
		for _, i := range was {
			if _, still := slices.BinarySearch(left, i); !still {
				items[i] = fewer[i]
				items[i].Shown = &shots
				replaced++
			}
		}
	}
	return replaced, err
}

// unfit are those of some items whose prompts do not fit.
func (s Shots) unfit(items []prompts.Item, some []int) (left []int, err error) {
	part := make([]prompts.Item, len(some))
	for k, i := range some {
		part[k] = items[i]
	}
	tokens, err := prefixes.Of(part, s.Tokenizer)
	if err != nil {
		return nil, err
	}
	lengths, err := tokens.Lengths(part, s.Tokenizer)
	for k, length := range lengths {
		if length > s.Room {
			left = append(left, some[k])
		}
	}
	return left, err
}
