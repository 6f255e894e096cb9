package grade

import (
	"strings"
	"unicode"

	"proctor/prompts/task"
)

// published are the rule sets of other harnesses' tasks, by name, with those tasks' published patterns. Each is for its own task's
// prompts, so a report shows one beside [Sets] only for a run that requested it.
func published(name string) (RuleSet, bool) {
	switch name {
	case "opencompass":
		s := pattern(name, "OpenCompass, mmlu_pro_0shot_cot_gen_08c1de", `(?i)ANSWER`+space+`*:`+space+`*([A-P])`, false, capitalForm)
		s.Rules[0] = capitals(s.Rules[0])
		return s, true
	case "binary-nvidia":
		return RuleSet{
			Name: name, Rules: []Rule{lastVerdict}, only: task.EachOption, forms: []form{wordForm},
			About: About{`"correct" for A or "incorrect" for B, the first word behind the last "the answer is" of the last line, or of a line without it`,
				"NVIDIA's MMLU-Pro-Max, BinaryPostprocessor", "with its style; reports show it only on request"},
		}, true
	case "lm-eval-llama":
		return pattern(name, "lm-evaluation-harness, mmlu_pro_llama 1.0, filter strict_match", `[tT]he best answer is ([A-Z])`, true), true
	}
	return RuleSet{}, false
}

// space is Python's \s.
const space = `[\s\v\x{1c}-\x{1f}\x{85}\p{Z}]`

// pattern is a rule set of one pattern: its first match, or the last.
func pattern(name, agrees, re string, last bool, forms ...form) RuleSet {
	rule, err := patternRule("pattern", re, last)
	if err != nil {
		panic(err)
	}
	which := "first"
	if last {
		which = "last"
	}
	return RuleSet{
		Name: name, Rules: []Rule{rule}, forms: forms,
		About: About{
			Takes: "the " + which + " match of " + re, Agrees: agrees, Use: "with its style; reports show it only on request",
		},
	}
}

// lastVerdict takes the word given on the last line with text.
var lastVerdict = Rule{"last-verdict", func(text string, _ int) (Match, bool) {
	text = strings.TrimRightFunc(text, isSpace)
	start := strings.LastIndexByte(text, '\n') + 1
	from := start
	for i := start; i < len(text); i++ {
		if after, ok := theAnswer(text[i:]); ok {
			start, from = i, len(text)-len(after)
		}
	}
	from = skipSpace(text, from)
	word := text[from:]
	if end := strings.IndexFunc(word, isSpace); end >= 0 {
		word = word[:end]
	}
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, word)
	verdict, found := map[string]byte{"correct": 'A', "incorrect": 'B'}[letters]
	return Match{verdict, Span{start, from + len(word)}}, found
}}

// capitals takes a small letter for no answer, as the task does: it is none of its gold letters.
func capitals(r Rule) Rule {
	return Rule{r.Name, func(text string, options int) (Match, bool) {
		m, found := r.Find(text, options)
		if found && (m.End == 0 || text[m.End-1] != m.Letter) {
			return Match{}, true
		}
		return m, found
	}}
}
