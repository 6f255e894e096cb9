package task

import (
	"strings"

	"github.com/xrash/smetrics"
)

// Nearest is the word that may be meant by what people typed: the one that begins with it, or the one that takes the fewest letters
// to change; empty where none is near.
func Nearest(typed string, words []string) string {
	best, found := max(2, len(typed)/3)+1, ""
	for _, word := range words {
		if len(typed) > 2 && strings.HasPrefix(word, typed) {
			return word
		}
		if n := smetrics.WagnerFischer(typed, word, 1, 1, 1); n < min(best, len(typed)) {
			best, found = n, word
		}
	}
	return found
}

// DidYouMean asks whether a word is meant, before more is said; nothing where there is none.
func DidYouMean(word string) string {
	if word == "" {
		return ""
	}
	return "did you mean " + word + "? "
}
