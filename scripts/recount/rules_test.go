package recount

import (
	"regexp"
	"strings"
)

// What each rule set takes, as its source has it: of the first pattern that is found the first match, or the last. Python's \b, which
// ends a word of any script, is written out.
var patterns = map[string]struct {
	patterns []*regexp.Regexp
	last     bool
}{
	"tiger-strict": {patterns: compiled(`answer is \(?([A-J])\)?`)},
	"lm-eval":      {patterns: compiled(`answer is \(?([A-J])\)?`)},
	"tiger": {patterns: compiled(`answer is \(?([A-J])\)?`, `.*[aA]nswer:\s*([A-J])`,
		`(?s)^(?:.*[^\pL\pN_])?([A-J])(?:[^\pL\pN_]|$)`)},
	"binary":       {patterns: compiled(`the answer is \(?([AB])\)?`), last: true},
	"binary-first": {patterns: compiled(`the answer is \(?([AB])\)?`)},
}

func compiled(patterns ...string) (all []*regexp.Regexp) {
	for _, pattern := range patterns {
		all = append(all, regexp.MustCompile(pattern))
	}
	return all
}

// read sets the letter that a rule set takes from the item's text, and whether it is the gold one.
func (it *plainItem) read(rules string) {
	it.letter, it.right = "", 0
	for _, pattern := range patterns[rules].patterns {
		found := pattern.FindAllStringSubmatch(it.Text, -1)
		if found == nil || it.failed {
			continue
		}
		it.letter = found[0][1]
		if patterns[rules].last {
			it.letter = found[len(found)-1][1]
		}
		break
	}
	if rules == "lm-eval" && it.letter != "" && int(it.letter[0]-'A') >= it.Options {
		it.letter = "" // no filter of theirs takes a letter that the question lacks
	}
	if it.letter != "" && it.letter == it.Gold {
		it.right = 1
	}
}

// rules fills in what the other rule sets make of the items.
func (r *plainRun) rules() {
	for name := range patterns {
		if r.task != "mmlu_pro_binary" && strings.HasPrefix(name, "binary") {
			continue
		}
		items := make([]*plainItem, len(r.items))
		for i, it := range r.items {
			other := *it
			other.read(name)
			items[i] = &other
		}
		r.part("rules."+name+".", items)
		if r.task == "mmlu_pro" && name == "tiger" {
			r.put("rules.tiger.leaderboard_equivalent", leaderboardEquivalent(items))
		}
	}
}

// leaderboardEquivalent is the share that the authors' script would print on average: it takes an option at random where it
// finds no answer.
func leaderboardEquivalent(items []*plainItem) float64 {
	right, n := 0.0, 0.0
	for _, it := range items {
		if it.failed {
			continue
		}
		n++
		if right += it.right; it.letter == "" {
			right += 1 / float64(it.Options)
		}
	}
	return right / n
}
