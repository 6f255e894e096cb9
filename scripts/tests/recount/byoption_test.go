package recount

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// optionTexts are options whose kind anybody can tell, under it; the kinds in the order of the report's.
var optionTexts = []struct {
	kind  string
	texts []string
}{
	{"number", []string{"12 km", "$4,500", "-3.2 × 10^-4 J", "7"}},
	{"formula", []string{"x + 1 = y", "[2, 4, 6, 8, 10]", "f(x)"}},
	{"phrase", []string{"war", "a purported assignment", "South America", "w", "x", "y", "z"}},
	{"sentence", []string{"Stars are smaller than planets.", strings.Repeat("Men and women lose hair at the same rate and so on, ", 3)}},
	{"none of the above", []string{"None of the above"}},
	{"all of the above", []string{"All of these"}},
}

// asked is a binary item's prompt about an option of any kind; at times there is none.
func asked(random *rand.Rand) string {
	if random.IntN(12) == 0 {
		return ""
	}
	kind := optionTexts[random.IntN(len(optionTexts))].texts
	return "Question:\nIs " + strings.TrimSpace(kind[random.IntN(len(kind))]) + " the correct answer to the question: 'Which is it?'?\n"
}

// kindOf is the place of the kind that the option in a prompt has; -1 where there is none.
func kindOf(it *plainItem) int {
	text := strings.TrimPrefix(strings.Split(it.Prompt, " the correct answer")[0], "Question:\nIs ")
	for i, of := range optionTexts {
		if slices.ContainsFunc(of.texts, func(other string) bool { return strings.TrimSpace(other) == text }) {
			return i
		}
	}
	return -1
}

// byOption works out the figures by the kind of option.
func (r *plainRun) byOption(scored []*plainItem) {
	unknown := keep(scored, func(it *plainItem) bool { return kindOf(it) < 0 })
	if len(unknown) > 0 {
		r.put("binary.by_option.unknown", float64(len(unknown)))
	}
	r.byQuality("letters", scored, func(it *plainItem) int { return int(it.Variant[0]) })
	r.byQuality("kinds", scored, kindOf)
}

// byQuality works out those of each value from 0.
func (r *plainRun) byQuality(name string, scored []*plainItem, quality func(*plainItem) int) {
	of := keep(scored, func(it *plainItem) bool { return quality(it) >= 0 })
	for i, part := range by(of, quality) {
		path := fmt.Sprintf("binary.by_option.%s.%d.", name, i)
		rights := keep(part, func(it *plainItem) bool { return it.Gold == "A" })
		wrongs := keep(part, func(it *plainItem) bool { return it.Gold == "B" })
		r.put(path+"items", float64(len(part)))
		r.put(path+"gold", float64(len(rights)))
		r.put(path+"called_true", float64(len(keep(part, func(it *plainItem) bool { return it.letter == "A" }))))
		r.put(path+"tpr", meanOf(each(rights, rightOf)))
		r.wilson(path+"tpr_ci", meanOf(each(rights, rightOf)), float64(len(rights)))
		r.put(path+"tnr", meanOf(each(wrongs, rightOf)))
		r.linear("", "", path+"tnr_ci", ratios(wrongs, rightOf, countOf), ratio, 0, false)
		r.balanced(path+"balanced_accuracy", "", path+"balanced_accuracy_ci", confusionsOf(part))
	}
}
