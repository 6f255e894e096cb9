package questions

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed words.txt
var lexicon string

var words = func() map[string][]string {
	classes := map[string][]string{}
	for line := range strings.Lines(lexicon) {
		class, list, ok := strings.Cut(line, ":")
		if ok && !strings.HasPrefix(line, "#") {
			classes[class] = strings.Fields(list)
		}
	}
	return classes
}()

// Expand fills a pattern: each {slot} becomes a word or phrase.
//
//	n ns         a noun, its plural      v vs ved ving   a verb in its forms
//	np           a noun phrase           vp pp           a predicate, a prepositional phrase
//	adj adv      an adjective, adverb    name place unit what the lexicon lists
//	num year     numbers                 tex formula word junk: notation, pseudo-words
func (s Source) Expand(pattern string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(pattern, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		slot, after, _ := strings.Cut(rest, "}")
		b.WriteString(s.slot(slot))
		pattern = after
	}
}

func (s Source) slot(name string) string {
	switch name {
	case "n":
		return s.noun()
	case "ns":
		return plural(s.noun())
	case "v", "vs", "ved", "ving":
		return conjugate(early(s, words["verb"]), strings.TrimPrefix(name, "v"))
	case "np":
		return s.Expand(early(s, nounPhrases))
	case "vp":
		return s.Expand(early(s, predicates))
	case "pp":
		return s.Expand(early(s, prepositional))
	case "num":
		return s.number()
	case "year":
		return fmt.Sprint(s.between(1400, 2020))
	case "tex":
		return s.tex()
	case "formula":
		return s.formula()
	case "word":
		return s.pseudoword()
	}
	list, ok := words[name]
	if !ok {
		panic(fmt.Sprintf("questions: no slot {%s}", name))
	}
	return early(s, list)
}

var nounPhrases = []string{
	"the {n}", "the {n} of the {n}", "a {n}", "the {adj} {n}", "{ns}", "a {adj} {n}", "{adj} {ns}", "the {ns}", "{n}", "this {n}",
	"an increase in {n}", "the {n} of {ns}", "each {n}", "the {n} and the {n}", "{name}", "their {ns}", "his {n}", "one {n}", "all {ns}",
	"{name}'s {n}", "the {n} {n}", "{n} and {n}", "some {adj} {ns}", "the use of {adj} {ns}",
	"the {n} that {vs} the {n}", "the {word} {n}", "{ns} with {n}",
	"the first {n}", "both {ns}", "any {n} which is {adj}", "{place}", "no {n}", "the {n} in {place}",
	"what is {adj}", "her {adj} {n}", "more {n}", "{num} {unit}", "{word}",
}

var predicates = []string{
	"is {adj}", "{vs} {np}", "is the {n} of {np}", "will {v} {np}", "can {v} {np}", "has been {ved} by {np}", "are {adj}",
	"was {ved} {pp}", "{v} {np}", "{ved} {np}",
	"does not {v} {np}", "is {ved} to be {adj}", "may be {adj} or {adj}", "would {v} {np} {pp}",
	"has {np}", "should {v} {np}", "is not {adj}", "is equal to {num}",
	"are {ved} in {np}", "must {v} {np} {adv}",
	"{adv} {vs} {np}", "had {ved} {np}", "were {adj} and {adj}", "is {adv} {adj}",
	"is more {adj} than {np}", "could have {ved} {np}", "tends to {v} {np}", "is likely to {v}",
	"did not {v} because {np} was {adj}",
}

var prepositional = []string{
	"in the {n}", "of {np}", "to {np}", "for {np}", "by {np}", "with {np}", "on the {n}",
	"from {np}", "at the {n}", "in {place}", "between {np} and {np}", "under {np}", "during the {n}",
	"at {num} {unit}", "in {year}", "without {np}", "by {ving} {np}", "through {np}", "after {ving} the {n}",
	"about {np}", "as a result of {np}", "according to {name}", "within {num} {unit}", "because of {np}",
}

var statements = []string{
	"{np} {vp}.", "{np} {vp} {pp}.", "{np} {pp} {vp}.", "In {np}, {np} {vp}.", "If {np} {vp}, then {np} {vp}.",
	"{np} {vp}, and {np} {vp}.", "When {np} {vp}, {np} {vp} {pp}.",
	"It is {ved} that {np} {vp}.", "{np} {vp}, but {np} {vp}.", "Although {np} {vp}, it {vp}.", "There is {np} {pp}.",
	"{np}, which {vs} {np}, {vp}.", "Assume that {np} {vp}.", "However, {np} {vp}.",
	"This {vs} that {np} {vp}.", "We have {np} {pp}, so {np} {vp}.", "They {ved} {np} {pp}.",
	"{name} {ved} {np} and {ved} {np} {pp}.", "He {ved} that {np} {vp}.", "{np} of {num} {unit} {vp}.",
	"A {n} of {num} {unit} is {ved} {pp}.", "Let {tex} be {np}.", "Thus {tex} = {num}.",
	"{np} has {n} {num} and {n} {num}.", "On {np}, {np} {vp}; {np} {vp}.",
	"\"{np} {vp},\" {ved} {name}.", "The {n} ({word}) {vp}.", "{formula} {vs} {np}.",
	"We know that {np} {vp}.", "Since {np} {vp}, we {v} that {np} {vp}.", "The {word} {n} {vp} {pp}.",
	"In {year}, {name} {ved} {np}.", "Therefore, {np} {vp}.", "You {v} {np}, and it {vp}.",
}

// Sentence is one statement with a capital letter in front.
func (s Source) Sentence() string { return capital(s.Expand(early(s, statements))) }

// Paragraph is count sentences.
func (s Source) Paragraph(count int) string {
	list := make([]string, count)
	for i := range list {
		list[i] = s.Sentence()
	}
	return strings.Join(list, " ")
}

// noun is a listed noun or, now and then, one derived from a stem.
func (s Source) noun() string {
	if s.chance(0.12) {
		return s.derived()
	}
	return early(s, words["noun"])
}

func (s Source) derived() string {
	word := choose(s, words["stem"]...)
	if s.chance(0.4) {
		word = choose(s, words["prefix"]...) + word
	}
	return word + early(s, words["suffix"])
}

var onsets = strings.Fields("b bl br c ch cl cr d dr f fl fr g gl gr h j k l m n p ph pl pr qu r s sc sh sl sp st str t th tr v w x y z")
var rhymes = strings.Fields("a e i o u ai an ar as at ea ed el en er es et ia ic id il in ion ir is it oa ol on oo or os ou um un ur us y")

// pseudoword has the sound of a term or a name that no lexicon lists.
func (s Source) pseudoword() string {
	var b strings.Builder
	for range s.between(1, 4) {
		b.WriteString(choose(s, onsets...) + choose(s, rhymes...))
	}
	if s.chance(0.35) {
		return capital(b.String())
	}
	return b.String()
}

func plural(noun string) string {
	switch {
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"):
		return noun + "es"
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ay") && !strings.HasSuffix(noun, "ey"):
		return noun[:len(noun)-1] + "ies"
	}
	return noun + "s"
}

var irregular = map[string][3]string{
	"be":    {"is", "been", "being"},
	"have":  {"has", "had", "having"},
	"do":    {"does", "done", "doing"},
	"go":    {"goes", "gone", "going"},
	"get":   {"gets", "got", "getting"},
	"make":  {"makes", "made", "making"},
	"know":  {"knows", "known", "knowing"},
	"think": {"thinks", "thought", "thinking"},
	"take":  {"takes", "taken", "taking"},
	"see":   {"sees", "seen", "seeing"},
	"come":  {"comes", "came", "coming"},
	"find":  {"finds", "found", "finding"},
	"give":  {"gives", "given", "giving"},
	"say":   {"says", "said", "saying"},
	"tell":  {"tells", "told", "telling"},
	"put":   {"puts", "put", "putting"},
	"begin": {"begins", "began", "beginning"},
	"show":  {"shows", "shown", "showing"},
	"hold":  {"holds", "held", "holding"},
	"write": {"writes", "written", "writing"},
}

// conjugate forms "s", "ed" or "ing"; "" is the verb as it is.
func conjugate(verb, form string) string {
	if forms, ok := irregular[verb]; ok {
		return map[string]string{"": verb, "s": forms[0], "ed": forms[1], "ing": forms[2]}[form]
	}
	switch {
	case form == "":
		return verb
	case form == "s":
		return plural(verb)
	case strings.HasSuffix(verb, "e"):
		return verb[:len(verb)-1] + form
	case form == "ed" && strings.HasSuffix(verb, "y"):
		return verb[:len(verb)-1] + "ied"
	}
	return verb + form
}

func capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
