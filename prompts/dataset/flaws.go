package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"proctor/prompts/dataset/table"
)

// What a column of flaws says of a row that is as it should be, and of one whose gold is wrong and may be mended. Both are
// MMLU-Redux's words.
const (
	noFlaw    = "ok"
	wrongGold = "wrong_groundtruth"
)

// flawed says whether a row has a flaw, and has settled what becomes of it: it is left out, or has the gold that mends it.
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

// noAnswer is why rows of a file a subject are left out that have no gold: such sets keep that of some splits secret.
const noAnswer = "no answer"

// unanswered says whether a row has no gold, in a file a subject.
func (o opened) unanswered(r table.Row, m Mapping) bool {
	text, isText := table.Text(r.At(cmp.Or(m.Answer, m.Correct, "answer")))
	return o.subject != "" && isText && strings.TrimSpace(text) == ""
}

// leftOut counts the rows that are left out, by what is wrong with them. They are no bad rows: the file itself says so.
type leftOut map[string]int

// takes says whether a row is left out, and counts it.
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
