package recount

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Classes of characters, as the harnesses' Python has them, whose \s, \w and \d are of any script.
const (
	space   = `\t-\r\x1c-\x20\x{85}\p{Z}`
	label   = `[A-Za-z\p{Nd}]`
	markup  = "*_`~\"'“”‘’$"
	opening = `(\[{<（［【｛〈《「『`
	closing = `)\]}>）］】｝〉》」』`
	stops   = `.,;:!?。，；：！？`
)

// ruleSets are those with patterns.
var ruleSets = []string{"tiger-strict", "tiger", "lm-eval", "evalscope", "agi-evals", "anchored", "binary", "binary-first", "direct"}

// letterOf is the answer that a rule set finds in the text, for a question with this many options, straight from what the set says of
// itself: patterns and what stands around a match. Empty for no answer.
func letterOf(rules, text string, options int) string {
	letters := "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:options]
	letter, reach := "", max(10, options)
	switch rules {
	case "tiger-strict":
		return group(tiger[reach][0], text)
	case "tiger":
		return first(tiger[reach], text)
	case "lm-eval":
		letter = group(tiger[reach][0], text)
	case "evalscope":
		return evalscope(text, letters)
	case "agi-evals":
		letter = agiEvals(text, letters)
	case "anchored":
		letter = lastOf(announced(text, anchor, letters))
	case "binary":
		letter = lastOf(announced(text, theAnswerIs, letters))
	case "binary-first":
		for _, named := range announced(text, theAnswerIs, letters) {
			if named != "" && strings.Contains(letters, named) {
				return named
			}
		}
	case "direct":
		letter = group(onlyLetter, text)
	default:
		panic("recount: no rule set " + rules)
	}
	if !strings.Contains(letters, letter) {
		return ""
	}
	return letter
}

// onlyLetter is one with nothing behind it, and no letter or digit before it.
var onlyLetter = regexp.MustCompile(`(?s)^[^\pL\pN]*([A-Z])$`)

// tiger are the patterns of the MMLU-Pro authors' script, which end at J, or at the last of more options than those.
var tiger = func() map[int][]*regexp.Regexp {
	reach := map[int][]*regexp.Regexp{}
	for options := 10; options <= 26; options++ {
		capital := `([A-` + string(rune('A'+options-1)) + `])`
		reach[options] = []*regexp.Regexp{
			regexp.MustCompile(`answer is \(?` + capital + `\)?`),
			regexp.MustCompile(`.*[aA]nswer:[` + space + `]*` + capital),
			regexp.MustCompile(`(?s)^(?:.*[^\pL\pN_])?` + capital + `(?:[^\pL\pN_]|$)`),
		}
	}
	return reach
}()

// first returns the letter of the first pattern that matches.
func first(patterns []*regexp.Regexp, text string) string {
	for _, pattern := range patterns {
		if letter := group(pattern, text); letter != "" {
			return letter
		}
	}
	return ""
}

var (
	marker  = regexp.MustCompile(`(?i:answer)[` + space + `]*:[` + space + `]*\**[` + space + `]*`)
	bracket = regexp.MustCompile(`^[(\[（【][` + space + `]*(` + label + `(?:[` + space + `]*[,，][` + space + `]*` + label + `)*)[` + space +
		`]*[)\]）】]`)
	unmarked = regexp.MustCompile(`^(` + label + `[A-Za-z\p{Nd} ,]*)`)
	labels   = regexp.MustCompile(label + `+`)
)

// evalscope takes the labels after the last marker that the question has some of, else the last upper-case letter.
func evalscope(text, letters string) string {
	markers := marker.FindAllStringIndex(text, -1)
	for _, found := range slices.Backward(markers) {
		for _, pattern := range []*regexp.Regexp{bracket, unmarked} {
			switch named := prefix(group(pattern, text[found[1]:]), letters); {
			case len(named) == 1:
				return named
			case named != "":
				return "" // several
			}
		}
	}
	for i := len(text); i > 0; {
		r, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
		if unicode.In(r, unicode.Lu, unicode.Other_Uppercase) {
			if strings.ContainsRune(letters, r) {
				return string(r)
			}
			return ""
		}
	}
	return ""
}

// prefix is the beginning of a list of labels that holds nothing but the question's.
func prefix(list, letters string) string {
	end := 0
	for _, at := range labels.FindAllStringIndex(list, -1) {
		if strings.Trim(list[at[0]:at[1]], letters) != "" {
			break
		}
		end = at[1]
	}
	return strings.TrimSpace(list[:end])
}

func group(pattern *regexp.Regexp, text string) string {
	if m := pattern.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// direct fills in what is about the letters' probabilities.
func (r *plainRun) direct() {
	items := scoredOf(r.items)
	type sure struct{ gold, vocabulary, mass, brier, confidence, right float64 }
	of := map[*plainItem]sure{}
	for _, it := range items {
		var s sure
		for _, l := range it.Letters {
			s.mass += math.Exp(l)
		}
		gold := int(it.Gold[0] - 'A')
		for i, l := range it.Letters {
			p := math.Exp(l) / s.mass
			s.confidence = max(s.confidence, p)
			if i == gold {
				p -= 1
			}
			s.brier += p * p
		}
		s.vocabulary, s.gold = it.Letters[gold], it.Letters[gold]-math.Log(s.mass)
		if strings.TrimSpace(it.Text) == it.Gold {
			s.right = 1
		}
		of[it] = s
	}
	mean := func(name, ci string, floor float64, what func(*plainItem) float64) {
		r.linear("direct."+name, ".", "direct."+ci, ratios(items, what, countOf), ratio, floor, false)
	}
	lowest := math.Inf(-1)
	mean("gold_logprob", "gold_logprob_ci", lowest, func(it *plainItem) float64 { return of[it].gold })
	mean("gold_logprob_vocabulary", "gold_logprob_vocabulary_ci", lowest, func(it *plainItem) float64 { return of[it].vocabulary })
	mean("letter_mass", "letter_mass_ci", 0, func(it *plainItem) float64 { return of[it].mass })
	r.linear(".half", ".", ".half_ci", ratios(items, func(it *plainItem) float64 { return of[it].brier / 2 }, countOf), ratio, 0,
		false) // which is in [0, 1]
	r.put("direct.brier", 2*r.want[".half"])
	r.put("direct.brier_ci.low", 2*r.want[".half_ci.low"])
	r.put("direct.brier_ci.high", 2*r.want[".half_ci.high"])
	r.put("direct.brier_ci.confidence", 0.95)
	mean("overconfidence", "overconfidence_ci", -1, func(it *plainItem) float64 { return of[it].confidence - of[it].right })
	n := float64(len(items))
	r.put("direct.items", n)
	r.put("direct.mean_confidence", total(items, func(it *plainItem) float64 { return of[it].confidence })/n)
	r.put("direct.gold_logprob_baseline", total(items, func(it *plainItem) float64 { return -math.Log(float64(it.Options)) })/n)
	r.put("direct.brier_baseline", total(items, func(it *plainItem) float64 { return 1 - 1/float64(it.Options) })/n)
}
