package html

import (
	_ "embed"
	"strings"
)

// A Term is a word of reports that not everybody knows, and what it means: `proctor help terms` prints them, and a document shows each
// where a pointer rests on its word.
type Term struct{ Name, Means string }

//go:embed terms.txt
var termLines string

// Terms are all of them in the order of a run: what is asked, how it is kept, how it is marked, what a comparison adds.
var Terms = func() (all []Term) {
	for line := range strings.Lines(termLines) {
		name, means, _ := strings.Cut(strings.TrimSpace(line), ": ")
		all = append(all, Term{name, means})
	}
	return all
}()

// explained explains the terms that a text contains as words, a line each: "p (Holm)" contains Holm. It is empty without any.
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

// separators stand between the words of a text, beside blanks.
var separators = strings.NewReplacer("(", " ", ")", " ", ",", " ", ":", " ", ";", " ")
