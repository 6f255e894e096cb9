package html

import (
	_ "embed"
	"strings"
)

// A Term explains a word of the reports: `proctor help terms` prints all of them, and a document shows one when the pointer rests on its
// word.
type Term struct{ Name, Means string }

//go:embed terms.txt
var termLines string

// Terms are in the order of a run: what is asked, how it is kept, how it is marked, what a comparison adds.
var Terms = func() (all []Term) {
	for line := range strings.Lines(termLines) {
		name, means, _ := strings.Cut(strings.TrimSpace(line), ": ")
		all = append(all, Term{name, means})
	}
	return all
}()

// explained explains the terms that a text contains as words, a line each: "p (Holm)" contains Holm. It is empty if there are none.
func explained(text string) string {
	words := " " + separators.Replace(strings.ToLower(text)) + " "
	var lines []string
	for _, t := range Terms {
		word := " " + strings.ToLower(t.Name)
		if strings.Contains(words, word+" ") || strings.Contains(words, word+"s ") {
			lines = append(lines, t.Name+": "+t.Means)
		}
	}
	return strings.Join(lines, "\n")
}

// separators are what separates words, besides blanks.
var separators = strings.NewReplacer("(", " ", ")", " ", ",", " ", ":", " ", ";", " ")
