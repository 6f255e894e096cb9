package task

import "strings"

// Nearest is the word that may be meant by what people typed: the one that begins with it, or the one that takes the fewest letters
// to change; empty where none is near.
func Nearest(typed string, words []string) string {
	best, found := max(2, len(typed)/3)+1, ""
	for _, word := range words {
		if len(typed) > 2 && strings.HasPrefix(word, typed) {
			return word
		}
		if n := changes(typed, word); n < min(best, len(typed)) {
			best, found = n, word
		}
	}
	return found
}

// changes counts the bytes to add, drop or replace that make one text of another.
func changes(from, to string) int {
	row := make([]int, len(to)+1) // changes to each beginning of to
	for j := range row {
		row[j] = j
	}
	for i := range len(from) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(to) {
			if from[i] != to[j] {
				diagonal = min(diagonal, row[j], row[j+1]) + 1
			}
			diagonal, row[j+1] = row[j+1], diagonal
		}
	}
	return row[len(to)]
}

// DidYouMean asks whether a word is meant, before more is said; nothing where there is none.
func DidYouMean(word string) string {
	if word == "" {
		return ""
	}
	return "did you mean " + word + "? "
}
