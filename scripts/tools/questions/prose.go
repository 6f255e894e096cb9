package questions

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed language.txt
var source string

// class holds the texts that can stand for a name of the language.
type class struct {
	texts []string
	even  bool // all alike; else the commonest first
}

var language = func() map[string]class {
	classes := map[string]class{}
	name := ""
	for line := range strings.Lines(source) {
		head := heading.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "#"):
		case head != nil:
			name = head[1]
			classes[name] = class{strings.Fields(head[3]), head[2] == " ="}
		default:
			c := classes[name]
			c.texts = append(c.texts, strings.TrimSpace(line))
			classes[name] = c
		}
	}
	return classes
}()

var (
	heading = regexp.MustCompile(`^(\w+)(:| =)(.*)\n`)
	slots   = regexp.MustCompile(`\{([a-z]+|-?\d+\.\.\d+)\}`)
)

// Expand fills a pattern: each {slot} becomes a text of the language's class with its name, a number between two, or the
// result of a function:
//
//	n ns  a noun, its plural            v vs ved ving  a verb in its forms
//	word  a pseudo-word                 compound letter gap  a chemical formula, a Greek letter, a gap to fill
func (s Source) Expand(pattern string) string {
	return slots.ReplaceAllStringFunc(pattern, func(slot string) string { return s.slot(slot[1 : len(slot)-1]) })
}

func (s Source) slot(name string) string {
	switch name {
	case "n":
		return s.noun()
	case "ns":
		return plural(s.noun())
	case "v", "vs", "ved", "ving":
		return conjugate(s.draw("verb"), strings.TrimPrefix(name, "v"))
	case "word":
		return s.pseudoword()
	case "compound":
		return s.compound()
	case "letter":
		return s.draw("greek") + choose(s, "", "₁", "²", " = "+s.slot("num"))
	case "gap":
		return strings.Repeat(choose(s, "_", "-", "."), s.between(3, 12))
	}
	if low, high, between := strings.Cut(name, ".."); between {
		return s.numeral(low, high)
	}
	return s.Expand(s.draw(name))
}

// draw is a text of a class, as it stands there.
func (s Source) draw(name string) string {
	c, known := language[name]
	switch {
	case !known:
		panic(fmt.Sprintf("questions: no slot {%s}", name))
	case len(c.texts) == 1:
		return c.texts[0]
	case c.even:
		return choose(s, c.texts...)
	}
	return early(s, c.texts)
}

// numeral is a number within bounds, as wide as the lower one where that begins with 0.
func (s Source) numeral(low, high string) string {
	width := len(low)
	if low[0] != '0' {
		width = 0
	}
	least, _ := strconv.Atoi(low)
	most, _ := strconv.Atoi(high)
	return fmt.Sprintf("%0*d", width, s.between(least, most))
}

// Sentence is one statement with a capital letter in front.
func (s Source) Sentence() string { return capital(s.slot("statement")) }

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
	return s.draw("noun")
}

func (s Source) derived() string {
	word := choose(s, language["stem"].texts...)
	if s.chance(0.4) {
		word = choose(s, language["prefix"].texts...) + word
	}
	return word + s.draw("suffix")
}

// pseudoword has the sound of a term or a name that no lexicon lists.
func (s Source) pseudoword() string {
	var b strings.Builder
	for range s.between(1, 4) {
		b.WriteString(s.draw("onset") + s.draw("rhyme"))
	}
	if s.chance(0.35) {
		return capital(b.String())
	}
	return b.String()
}

// compound is a chemical formula.
func (s Source) compound() string {
	var b strings.Builder
	for range s.between(2, 4) {
		b.WriteString(s.draw("element"))
		if s.chance(0.5) {
			fmt.Fprint(&b, s.between(2, 12))
		}
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

// irregular is the forms of verbs in the order of verbForms.
var irregular = func() map[string][]string {
	verbs := map[string][]string{}
	for _, text := range language["irregular"].texts {
		forms := strings.Split(text, "/")
		verbs[forms[0]] = forms
	}
	return verbs
}()

var verbForms = []string{"", "s", "ed", "ing"}

// conjugate forms "s", "ed" or "ing"; "" leaves the verb unchanged.
func conjugate(verb, form string) string {
	if forms, ok := irregular[verb]; ok {
		return forms[slices.Index(verbForms, form)]
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
