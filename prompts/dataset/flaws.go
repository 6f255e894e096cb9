package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"proctor/prompts/dataset/table"
)

// The values of MMLU-Redux's column of flaws for a row without a flaw, and for one whose gold is wrong and may be corrected.
const (
	noFlaw    = "ok"
	wrongGold = "wrong_groundtruth"
)

// flawed says whether a row has a flaw. Such a row is left out, or gets the corrected gold.
func (c *cells) flawed(m Mapping) bool {
	flaw := strings.TrimSpace(c.text(m.Flaw))
	if flaw == "" || flaw == noFlaw {
		return false
	}
	if flaw == wrongGold && m.Mended != "" {
		for _, is := range []Reading{AsIndex0, AsLetter} {
			if gold, why := option(is, c.from.At(m.Mended), c.to.options, nil); why == "" {
				c.to.gold = gold
				return true
			}
		}
	}
	c.to.left = flaw
	return true
}

// noAnswer is the reason why rows without a gold are left out, in sets with a file for each subject: these keep the gold of some splits
// secret.
const noAnswer = "no answer"

// unanswered says whether a row has no gold, in a file a subject.
func (o opened) unanswered(r table.Row, m Mapping) bool {
	text, isText := table.Text(r.At(cmp.Or(m.Answer, m.Correct, "answer")))
	return o.subject != "" && isText && strings.TrimSpace(text) == ""
}

// leftOut counts the rows that are left out, by what is wrong with them. They are no bad rows: the file itself says so.
type leftOut map[string]int

// takes says whether a row is left out, and counts it if so.
func (l leftOut) takes(from opened, r table.Row, read row, m Mapping) bool {
	why := read.left
	if from.unanswered(r, m) {
		why = cmp.Or(why, noAnswer)
	}
	if why == "" || r.Bad != "" {
		return false
	}
	l[why]++
	return true
}

// notes says for people what was left out.
func (l leftOut) notes() []string {
	var notes []string
	for _, why := range slices.Sorted(maps.Keys(l)) {
		notes = append(notes, fmt.Sprintf("%s (%s)", Counted(l[why], "row", "left out"), why))
	}
	return notes
}
