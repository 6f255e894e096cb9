// Package terms explains the words of reports that not everybody knows, a line each: `proctor help terms` prints them,
// and HTML shows each where a pointer rests on its word.
package terms

import (
	_ "embed"
	"strings"
)

// A Term is a word of reports and what it means.
type Term struct{ Name, Means string }

//go:embed terms.txt
var lines string

// All are the terms in the order of a run: what is asked, how it is kept, how it is marked, what a comparison adds.
var All = func() (all []Term) {
	for line := range strings.Lines(lines) {
		name, means, _ := strings.Cut(strings.TrimSpace(line), ": ")
		all = append(all, Term{name, means})
	}
	return all
}()

// In explains the terms that a text contains as words, a line each: "p (Holm)" contains Holm. It is empty without any.
func In(text string) string {
	words := " " + separators.Replace(strings.ToLower(text)) + " "
	var lines []string
	for _, t := range All {
		word := " " + strings.ToLower(t.Name)
		if strings.Contains(words, word+" ") || strings.Contains(words, word+"s ") {
			lines = append(lines, t.Name+": "+t.Means)
		}
	}
	return strings.Join(lines, "\n")
}

// separators stand between the words of a text, beside blanks.
var separators = strings.NewReplacer("(", " ", ")", " ", ",", " ", ":", " ", ";", " ")
