//go:build cgo

package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// learn learns merges until the vocabulary has size tokens, the most frequent pair first (Sennrich et al. 2016); ties go
// to the pair that comes first by id. Pieces with a digit are left out, so digits stay single tokens. The words in keep
// become tokens before anything else.
func learn(specials []string, text string, size int, keep ...string) *Vocabulary {
	v := vocabularyOf(specials, nil)
	for _, word := range keep {
		v.join(word)
	}
	words := v.count(text)
	for v.Len() < size {
		best, ok := commonest(words)
		if !ok {
			break
		}
		v.add(best)
		for i := range words {
			words[i].ids = merge(words[i].ids, best, int32(v.Len()-1))
		}
	}
	clear(v.cache)
	return v
}

// join adds the merges that make word one token.
func (v *Vocabulary) join(word string) {
	clear(v.cache)
	for ids := v.piece(word); len(ids) > 1; ids = v.piece(word) {
		v.add(Pair{ids[0], ids[1]})
		clear(v.cache)
	}
}

type word struct {
	ids   []int32
	count int
}

func (v *Vocabulary) count(text string) []word {
	counts := map[string]int{}
	for _, piece := range split(text) {
		if !strings.ContainsFunc(piece, unicode.IsNumber) {
			counts[piece]++
		}
	}
	words := make([]word, 0, len(counts))
	for _, piece := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, word{slices.Clone(v.piece(piece)), counts[piece]})
	}
	return words
}

func commonest(words []word) (Pair, bool) {
	counts := map[Pair]int{}
	for _, w := range words {
		for i := 0; i+1 < len(w.ids); i++ {
			counts[Pair{w.ids[i], w.ids[i+1]}] += w.count
		}
	}
	var best Pair
	most := 1
	for p, n := range counts {
		if n > most || n == most && cmp.Or(cmp.Compare(p.Left, best.Left), cmp.Compare(p.Right, best.Right)) < 0 {
			best, most = p, n
		}
	}
	return best, most > 1
}
