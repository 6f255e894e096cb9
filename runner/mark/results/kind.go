package results

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"proctor/prompts/task"
	"proctor/runner/journal"
)

// A Kind is the kind of an answer option's text, by rules that a reader can check, without a model: see [KindOf].
type Kind string

// The kinds, in the order in which they are tried; UnknownKind is of an item that asks about no option whose text is known.
const (
	NoneOfThem  Kind = "none_of_the_above"
	AllOfThem   Kind = "all_of_the_above"
	Number      Kind = "number"
	Formula     Kind = "formula"
	Sentence    Kind = "sentence"
	Phrase      Kind = "phrase"
	UnknownKind Kind = ""
)

// optionKind is the kind of the option that a true-or-false item asks about. The option is taken from a log's question or the prompt;
// the kind is unknown where the prompt is not kept, or is worded otherwise than the built-in styles.
func optionKind(r *journal.Record) Kind {
	if r.OptionsOriginal > 0 {
		if about, style := task.ReadAbout(cmp.Or(r.Question, r.Prompt)); style != "" {
			return KindOf(about.Option)
		}
	}
	return UnknownKind
}

var (
	// number is an amount: a sign, a currency, digits, a power of ten, and a unit of at most three short words.
	number = regexp.MustCompile(`^[~≈≃<>≤≥]?\s*(about |approximately )?[-+−–±]?\s*[$€£¥₹]?\s*[-+−–]?\s*` +
		`(\d([\d,.]*\d)?\.?|\.\d+)(\s*/\s*\d[\d,.]*)?` +
		`(\s*[x×*·⋅∗]\s*10\s*\^?\s*[{(]?\s*[-−–]?\s*\d+[)}]?|[eE][-+]?\d+)?` +
		`(\s*[%°‰]?\s*[\p{L}µμΩ°Å$€£/²³·⋅^.\-−⁻¹0-9()]{1,14}){0,3}\s*[%°.]?$`)
	// signs are characters of formulas.
	signs = regexp.MustCompile(`[=^_\\{}<>≤≥≠±×÷√∑∫∂∇→↔⊃≡∨∧¬~•∃∀∈∪∩∞²³⁻λπθσωΔ|]` +
		`|\w\(\w\)|\d\s*[-+*/]\s*\w|\w\s*[+*]\s*\w`)
	// word is an ordinary one, no name of a function or variable.
	word = regexp.MustCompile(`\p{L}{3,}`)
	stop = regexp.MustCompile(`[.?!]["'”’)]*$`)

	// set is how LaTeX sets a number and its unit, and raised is its power.
	set    = regexp.MustCompile(`\\(mathrm|mathbf|text|rm)\b|\\[,;! ]|[$~{}\\]`)
	raised = regexp.MustCompile(`\^\{([^{}]*)\}`)
)

// plain is a text in which to look for numbers; LaTeX is reduced to what a reader sees.
func plain(text string) string {
	text = raised.ReplaceAllString(text, "^$1")
	if strings.ContainsRune(text, '\\') {
		text = strings.NewReplacer(`\times`, "×", `\cdot`, "·", `\mu`, "µ", `\Omega`, "Ω", `\circ`, "°").Replace(text)
		text = strings.TrimSpace(set.ReplaceAllString(text, " "))
	}
	return text
}

// names are words of formulas.
var names = map[string]bool{
	"sin": true, "cos": true, "tan": true, "log": true, "exp": true, "lim": true, "sqrt": true, "frac": true, "times": true, "left": true,
	"right": true, "text": true, "cdot": true, "arctan": true, "max": true, "min": true, "det": true, "mod": true, "int": true, "sum": true,
}

// How many words make a sentence, with a full stop and without one, and how many a formula has at most.
const (
	stopped = 5
	long    = 10
	few     = 2
)

// KindOf classifies a text, by the first rule that holds:
//
//   - none of the above, all of the above: these words, or others that say it of the options (neither, both of these)
//   - number: one amount, with a sign, a currency, a power of ten, a unit of up to three short words, or none of these
//   - formula: signs of mathematics, logic or chemistry, and at most two ordinary words
//   - sentence: a full stop, a question mark or an exclamation mark at the end of five words or more, or ten words or more
//   - phrase: everything else
func KindOf(text string) Kind {
	text = strings.TrimSpace(text)
	words := 0
	for _, w := range word.FindAllString(text, -1) {
		if !names[strings.ToLower(w)] {
			words++
		}
	}
	spaced := len(strings.Fields(text))
	switch {
	case task.NoneOfThem(text):
		return NoneOfThem
	case task.AllOfThem(text):
		return AllOfThem
	case number.MatchString(plain(text)):
		return Number
	case words <= few && (signs.MatchString(text) || words == 0 && !isWord(text)):
		return Formula
	case spaced >= long, spaced >= stopped && stop.MatchString(text):
		return Sentence
	}
	return Phrase
}

// isWord says whether a text has letters only, as a name or a short word has.
func isWord(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune(" .,'-", r) }) < 0
}
