package grade_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/mark/grade"
)

// none stands for a completion that gives no answer.
const none = ""

var cases = []struct {
	name    string
	rules   string
	text    string
	want    string
	rule    string
	options int // 10 where not given
}{
	// more than ten options: every rule set reads letters up to the question's last one
	{name: "strict reaches Z of 26", rules: "tiger-strict", text: "the answer is (Z).", want: "Z", rule: "answer-is", options: 26},
	{name: "strict does not reach K of ten", rules: "tiger-strict", text: "the answer is (K).", want: none},
	{name: "tiger's colon reaches Q of 17", rules: "tiger", text: "Answer: Q", want: "Q", rule: "answer-colon", options: 17},
	{name: "tiger's last capital reaches Q of 17", rules: "tiger", text: "I say Q", want: "Q", rule: "last-capital", options: 17},
	{name: "tiger does not reach R of 17", rules: "tiger", text: "Answer: R", want: none, options: 17},
	{name: "lm-eval reaches K of 12", rules: "lm-eval", text: "the answer is (K)", want: "K", rule: "answer-is", options: 12},
	{name: "evalscope reaches Z of 26", rules: "evalscope", text: "ANSWER: Z", want: "Z", rule: "answer-marker", options: 26},
	{name: "agi-evals reaches X of 26", rules: "agi-evals", text: "Answer: x", want: "X", rule: "answer-line", options: 26},
	{name: "agi-evals reaches a lone W of 26", rules: "agi-evals", text: "It is W, I think", want: "W", rule: "standalone",
		options: 26},
	{name: "anchored reaches (m) of 14", rules: "anchored", text: "the answer is (m)", want: "M", rule: "last-anchored", options: 14},
	{name: "anchored does not reach (o) of 14", rules: "anchored", text: "the answer is (o)", want: none, options: 14},

	// direct takes what is a letter and nothing else
	{name: "direct takes a letter", rules: "direct", text: "C", want: "C", rule: "only-letter"},
	{name: "direct takes a letter with its space", rules: "direct", text: " J", want: "J", rule: "only-letter"},
	{name: "direct takes a letter with its bracket", rules: "direct", text: " (J", want: "J", rule: "only-letter"},
	{name: "direct takes no letter beyond the options", rules: "direct", text: "D", want: none, options: 3},
	{name: "direct takes no sentence", rules: "direct", text: "the answer is (C)", want: none},
	{name: "direct takes no small letter", rules: "direct", text: "c", want: none},

	// as many layers of wrapping as an answer could have
	{name: "anchored reads through eight layers", rules: "anchored", text: "the answer is " + strings.Repeat(`\text{`, 8) + "C",
		want: "C", rule: "last-anchored"},
	{name: "anchored does not read through nine", rules: "anchored", text: "the answer is " + strings.Repeat(`\text{`, 9) + "C",
		want: none},
	{name: "evalscope takes two letters with a full-width comma for no answer", rules: "evalscope", text: "ANSWER: （A，C）", want: none},

	// tiger-strict
	{name: "strict takes a letter in brackets", rules: "tiger-strict", text: "So the answer is (C).", want: "C", rule: "answer-is"},
	{name: "strict takes a letter without brackets", rules: "tiger-strict", text: "the answer is D", want: "D", rule: "answer-is"},
	{name: "strict takes the first of two answers", rules: "tiger-strict", text: "the answer is (B). No, the answer is (C).",
		want: "B", rule: "answer-is"},
	{name: "strict goes on after a phrase without a letter", rules: "tiger-strict",
		text: "the answer is not clear, but the answer is (E)", want: "E", rule: "answer-is"},
	{name: "strict takes the first letter of a capitalised word", rules: "tiger-strict", text: "the answer is Because", want: "B",
		rule: "answer-is"},
	{name: "strict knows no bold letter", rules: "tiger-strict", text: "The answer is **C**", want: none},
	{name: "strict knows no small letter", rules: "tiger-strict", text: "the answer is (c)", want: none},
	{name: "strict knows no capital phrase", rules: "tiger-strict", text: "The Answer Is (C)", want: none},
	{name: "strict knows no line break before the letter", rules: "tiger-strict", text: "the answer is\n(C)", want: none},
	{name: "strict counts a letter beyond the options as answered", rules: "tiger-strict", text: "the answer is (J)", want: "J",
		rule: "answer-is", options: 4},
	{name: "strict takes nothing from a sentence cut off before the letter", rules: "tiger-strict",
		text: "Therefore the answer is (", want: none},
	{name: "strict takes a letter whose sentence is cut off after it", rules: "tiger-strict", text: "Therefore the answer is (G",
		want: "G", rule: "answer-is"},

	// tiger
	{name: "tiger begins like strict", rules: "tiger", text: "Answer: B, as the answer is (C).", want: "C", rule: "answer-is"},
	{name: "tiger falls back to a colon", rules: "tiger", text: "Answer: C.", want: "C", rule: "answer-colon"},
	{name: "tiger takes the last colon on the first line that has one", rules: "tiger", text: "Answer: B or answer: C\nAnswer: D",
		want: "C", rule: "answer-colon"},
	{name: "tiger looks past a line whose colon has no letter", rules: "tiger", text: "Answer: unclear\nanswer:\tE", want: "E",
		rule: "answer-colon"},
	{name: "tiger takes a letter on the line after the colon", rules: "tiger", text: "Answer:\r\n  F", want: "F", rule: "answer-colon"},
	{name: "tiger takes a letter after a no-break space", rules: "tiger", text: "Answer:\u00a0G", want: "G", rule: "answer-colon"},
	{name: "tiger takes the last bare capital in the end", rules: "tiger", text: "B is wrong, so it must be D", want: "D",
		rule: "last-capital"},
	{name: "tiger takes even the pronoun I", rules: "tiger", text: "C seems right, I guess", want: "I", rule: "last-capital"},
	{name: "tiger sees no bare capital beside a letter with an accent", rules: "tiger", text: "B, then éA", want: "B",
		rule: "last-capital"},
	{name: "tiger sees no bare capital in an identifier", rules: "tiger", text: "D and E_1", want: "D", rule: "last-capital"},
	{name: "tiger takes a capital from \\boxed", rules: "tiger", text: `$\boxed{C}$`, want: "C", rule: "last-capital"},
	{name: "tiger takes a capital beyond the options", rules: "tiger", text: "H", want: "H", rule: "last-capital", options: 4},
	{name: "tiger reads on into a question the model made up", rules: "tiger", text: "It is B.\n\nQuestion:\nOptions:\nA. x",
		want: "A", rule: "last-capital"},
	{name: "tiger never guesses", rules: "tiger", text: "no idea at all", want: none},

	// lm-eval
	{name: "lm-eval takes the first of two answers", rules: "lm-eval", text: "answer is A. answer is B", want: "A", rule: "answer-is"},
	{name: "lm-eval knows no colon", rules: "lm-eval", text: "Answer: C", want: none},
	{name: "lm-eval takes no letter beyond the options", rules: "lm-eval", text: "the answer is (E)", want: none, options: 4},
	{name: "lm-eval takes the last of the question's letters", rules: "lm-eval", text: "the answer is (D)", want: "D",
		rule: "answer-is", options: 4},

	// evalscope
	{name: "evalscope takes its marker in any case", rules: "evalscope", text: "AnSwEr : B", want: "B", rule: "answer-marker"},
	{name: "evalscope takes a bold letter", rules: "evalscope", text: "**ANSWER: **C**", want: "C", rule: "answer-marker"},
	{name: "evalscope takes a bracketed letter", rules: "evalscope", text: "ANSWER: [D]", want: "D", rule: "answer-marker"},
	{name: "evalscope takes Unicode brackets", rules: "evalscope", text: "ANSWER: （E）", want: "E", rule: "answer-marker"},
	{name: "evalscope takes the last marker with a letter", rules: "evalscope", text: "ANSWER: A\nANSWER: B\nANSWER: [LETTER]",
		want: "B", rule: "answer-marker"},
	{name: "evalscope keeps the letter before a justification", rules: "evalscope", text: "ANSWER: B, not C", want: "B",
		rule: "answer-marker"},
	{name: "evalscope takes two letters for none", rules: "evalscope", text: "C! ANSWER: A, B", want: none},
	{name: "evalscope takes two letters in brackets for none", rules: "evalscope", text: "ANSWER: (A, C)", want: none},
	{name: "evalscope takes letters run together for none", rules: "evalscope", text: "ANSWER: AB", want: none},
	{name: "evalscope falls back to the last capital", rules: "evalscope", text: "so it is (C).", want: "C", rule: "last-upper-case"},
	{name: "evalscope's fallback ends at a capital that is no option", rules: "evalscope", text: "C, says Zoe", want: none},
	{name: "evalscope's fallback looks inside words", rules: "evalscope", text: "maybe Fluorine", want: "F", rule: "last-upper-case"},
	{name: "evalscope skips a marker with a letter beyond the options", rules: "evalscope", text: "ANSWER: B\nANSWER: H", want: "B",
		rule: "answer-marker", options: 4},
	{name: "evalscope knows no small letter", rules: "evalscope", text: "answer: c", want: none},
	{name: "evalscope reads a letter on the next line", rules: "evalscope", text: "ANSWER:\r\nC\r\n", want: "C", rule: "answer-marker"},
	{name: "evalscope finds nothing without any capital", rules: "evalscope", text: "no idea", want: none},

	{name: "evalscope takes nothing from a list that begins with a comma", rules: "evalscope", text: "ANSWER:, FAB", want: "B",
		rule: "last-upper-case"},
	{name: "evalscope takes nothing from a list that begins with a space and a comma", rules: "evalscope",
		text: "D. ANSWER: , A", want: "A", rule: "last-upper-case"},
	{name: "evalscope takes a long s for an S", rules: "evalscope", text: "anſwer: C Z", want: "C", rule: "answer-marker"},

	{name: "evalscope takes no other letter for the S of its marker", rules: "evalscope", text: "anxwer: C, says Zoe", want: none},
	{name: "evalscope's marker may be cut off", rules: "evalscope", text: "C, an", want: "C", rule: "last-upper-case"},
	{name: "evalscope's fallback takes a capital that begins the text", rules: "evalscope", text: "C", want: "C", rule: "last-upper-case"},

	// agi-evals
	{name: "agi takes an answer line", rules: "agi-evals", text: "I think.\nAnswer: C.", want: "C", rule: "answer-line"},
	{name: "agi takes a bold answer line", rules: "agi-evals", text: "**Answer: C**", want: "C", rule: "answer-line"},
	{name: "agi takes a bold word and a bold letter", rules: "agi-evals", text: "**Answer:** **(D)**", want: "D", rule: "answer-line"},
	{name: "agi takes a heading with a final answer", rules: "agi-evals", text: "### Final Answer: E", want: "E", rule: "answer-line"},
	{name: "agi takes a boxed answer line", rules: "agi-evals", text: `Answer: $\boxed{\text{F}}$`, want: "F", rule: "answer-line"},
	{name: "agi takes a small letter alone on its answer line", rules: "agi-evals", text: "answer: c", want: "C", rule: "answer-line"},
	{name: "agi takes no small letter that begins a phrase", rules: "agi-evals", text: "answer: a dog", want: none},
	{name: "agi takes A and I from an answer line", rules: "agi-evals", text: "Answer: I", want: "I", rule: "answer-line"},
	{name: "agi takes no I that begins a sentence", rules: "agi-evals", text: "Answer: I don't know", want: none},
	{name: "agi takes the last answer line", rules: "agi-evals", text: "Answer: B\nwait\nAnswer: C\r\n", want: "C", rule: "answer-line"},
	{name: "agi takes an answer line that names two letters for none", rules: "agi-evals", text: "(D)\nAnswer: A or B", want: none},
	{name: "agi takes an answer line beyond the options for none", rules: "agi-evals", text: "(B)\nAnswer: J", want: none, options: 4},
	{name: "agi takes a full-width colon and Unicode brackets", rules: "agi-evals", text: "Answer：【B】", want: "B", rule: "answer-line"},
	{name: "agi takes no answer from the middle of a line as a line", rules: "agi-evals", text: "Well, my answer: G? Or H",
		want: "H", rule: "standalone"},
	{name: "agi takes a parenthesised letter near the end", rules: "agi-evals", text: "The best choice is (G).", want: "G",
		rule: "parenthesised"},
	{name: "agi takes a bold letter in parentheses", rules: "agi-evals", text: "so (**A**)", want: "A", rule: "parenthesised"},
	{name: "agi takes full-width parentheses", rules: "agi-evals", text: "所以（H）", want: "H", rule: "parenthesised"},
	{name: "agi takes the last of two parenthesised letters", rules: "agi-evals", text: "not (A) but (B)", want: "B",
		rule: "parenthesised"},
	{name: "agi takes no parenthesised letter far from the end as one", rules: "agi-evals", text: "D (C) " + long, want: "C",
		rule: "standalone"},
	{name: "agi takes a parenthesised letter 200 bytes before the end", rules: "agi-evals", text: "(C)" + strings.Repeat("x", 198),
		want: "C", rule: "parenthesised"},
	{name: "agi takes none 201 bytes before the end", rules: "agi-evals", text: "(C)" + strings.Repeat("x", 199), want: "C",
		rule: "standalone"},
	{name: "agi takes no parenthesised unit beyond the options", rules: "agi-evals", text: "Option B: an energy of 5 (J)",
		want: "B", rule: "standalone", options: 4},
	{name: "agi takes a standalone capital", rules: "agi-evals", text: "It must be D", want: "D", rule: "standalone"},
	{name: "agi ignores A in prose", rules: "agi-evals", text: "A cell divides. A dog barks", want: none},
	{name: "agi ignores I in prose", rules: "agi-evals", text: "I believe I know. So do I.", want: none},
	{name: "agi takes C although I follows in prose", rules: "agi-evals", text: "C, I would say", want: "C", rule: "standalone"},
	{name: "agi takes A alone on its line", rules: "agi-evals", text: "Let me see\n\n**A**\n", want: "A", rule: "standalone"},
	{name: "agi takes I boxed", rules: "agi-evals", text: `Hence \boxed{I}`, want: "I", rule: "standalone"},
	{name: "agi takes A that heads its line like an option", rules: "agi-evals", text: "A) paris", want: "A", rule: "standalone"},
	{name: "agi takes no capital that is part of a compound", rules: "agi-evals", text: "B-cells and vitamin-D", want: none},
	{name: "agi takes nothing from a sentence cut off before the letter", rules: "agi-evals", text: "Answer:", want: none},

	// anchored
	{name: "anchored takes the last announcement", rules: "anchored", text: "the answer is (B)... no, the answer is (C)", want: "C",
		rule: "last-anchored"},
	{name: "anchored takes markdown bold", rules: "anchored", text: "The correct answer is: **C**.", want: "C", rule: "last-anchored"},
	{name: "anchored takes a bold word with its colon", rules: "anchored", text: "**Answer**: **D**", want: "D", rule: "last-anchored"},
	{name: "anchored takes \\boxed", rules: "anchored", text: `Hence $\boxed{\textbf{(C)}}$.`, want: "C", rule: "last-anchored"},
	{name: "anchored takes no number from \\boxed", rules: "anchored", text: `Hence $\boxed{42}$.`, want: none},
	{name: "anchored takes Answer: C.", rules: "anchored", text: "Answer: C.", want: "C", rule: "last-anchored"},
	{name: "anchored takes a small letter in brackets", rules: "anchored", text: "the answer is (c).", want: "C", rule: "last-anchored"},
	{name: "anchored takes a small letter that ends the text", rules: "anchored", text: "the answer is b", want: "B", rule: "last-anchored"},
	{name: "anchored takes a small letter that ends the line", rules: "anchored", text: "ANSWER: b\nQ", want: "B", rule: "last-anchored"},
	{name: "anchored takes a small letter that ends the sentence", rules: "anchored", text: "So the answer is a. Done", want: "A",
		rule: "last-anchored"},
	{name: "anchored takes no abbreviation", rules: "anchored", text: "the answer is e.g. five", want: none},
	{name: "anchored takes no small letter that goes on", rules: "anchored", text: "the answer is c = 5", want: none},
	{name: "anchored takes no small letter beyond the options", rules: "anchored", text: "the answer is x.", want: none},
	{name: "anchored takes no small letter in prose", rules: "anchored", text: "the answer is a function", want: none},
	{name: "anchored takes no capital that begins a word", rules: "anchored", text: "The answer is Because", want: none},
	{name: "anchored takes capitals throughout", rules: "anchored", text: "THE ANSWER IS (E)", want: "E", rule: "last-anchored"},
	{name: "anchored takes the correct option", rules: "anchored", text: "The correct option is most likely option F", want: "F",
		rule: "last-anchored"},
	{name: "anchored takes the letter on the next line", rules: "anchored", text: "The final answer is:\r\n\r\n**G**\r\n",
		want: "G", rule: "last-anchored"},
	{name: "anchored takes Unicode brackets", rules: "anchored", text: "the answer is （H）", want: "H", rule: "last-anchored"},
	{name: "anchored takes a letter beyond the options for none", rules: "anchored", text: "the answer is (B). the answer is (J)",
		want: none, options: 4},
	{name: "anchored takes two answers for none", rules: "anchored", text: "The answer is A or B.", want: none},
	{name: "anchored takes a list of answers for none", rules: "anchored", text: "The answer is (A), (C).", want: none},
	{name: "anchored keeps the letter before a remark about another", rules: "anchored", text: "The answer is (B), (C) is wrong.",
		want: "B", rule: "last-anchored"},
	{name: "anchored takes no bare letter", rules: "anchored", text: "C", want: none},
	{name: "anchored takes a letter whose sentence is cut off after it", rules: "anchored", text: "so the answer is (C", want: "C",
		rule: "last-anchored"},
	{name: "anchored takes nothing from a sentence cut off before the letter", rules: "anchored", text: "so the answer is (", want: none},
	{name: "anchored takes no I that begins a clause", rules: "anchored", text: "The answer is I think unclear", want: none},
	{name: "anchored stops at a question the model made up", rules: "anchored",
		text: "the answer is (A).\n\nQuestion: next\nthe answer is (B).", want: "A", rule: "last-anchored"},
	{name: "anchored leaves thinking out", rules: "anchored", text: "<think>the answer is (A)</think>The answer is (B).", want: "B",
		rule: "last-anchored"},
	{name: "anchored leaves thinking out that the prompt opened", rules: "anchored",
		text: "the answer is (A)</think>the answer is (D)", want: "D", rule: "last-anchored"},
	{name: "anchored takes nothing from thinking that never ended", rules: "anchored", text: "<think>the answer is (A)", want: none},
	{name: "anchored is not cut by a stop string inside thinking", rules: "anchored",
		text: "<think>Question: hm</think>the answer is (C)", want: "C", rule: "last-anchored"},

	// binary
	{name: "anchored takes a small a in brackets", rules: "anchored", text: "The answer is (a).", want: "A", rule: "last-anchored"},
	{name: "anchored takes a small j in brackets", rules: "anchored", text: "The answer is (j).", want: "J", rule: "last-anchored"},
	{name: "binary takes A", rules: "binary", text: "So it is true. The answer is (A).", want: "A", rule: "the-answer-is", options: 2},
	{name: "binary takes B without brackets", rules: "binary", text: "the answer is B", want: "B", rule: "the-answer-is", options: 2},
	{name: "binary takes the last of two", rules: "binary", text: "the answer is (A). Or the answer is (B).", want: "B",
		rule: "the-answer-is", options: 2},
	{name: "binary-first takes the first of two", rules: "binary-first", text: "the answer is (A). Or the answer is (B).", want: "A",
		rule: "first-answer-is", options: 2},
	{name: "binary-first looks past a letter that is none of the two", rules: "binary-first",
		text: "the answer is (C), so the answer is (B), not that the answer is (A)", want: "B", rule: "first-answer-is", options: 2},
	{name: "binary-first takes no third letter", rules: "binary-first", text: "the answer is (C)", want: none, options: 2},
	{name: "binary takes no third letter", rules: "binary", text: "the answer is (C)", want: none, options: 2},
	{name: "binary takes no words", rules: "binary", text: "the answer is True", want: none, options: 2},
	{name: "binary takes no other announcement", rules: "binary", text: "Answer: A", want: none, options: 2},

	// what looks nearly like a label
	{name: "evalscope takes a word that ends in Z for a word", rules: "evalscope", text: "ANSWER: AZ. so b", want: none},
	{name: "evalscope takes a word that ends in z for a word", rules: "evalscope", text: "ANSWER: Az. So B", want: "B",
		rule: "last-upper-case"},
	{name: "evalscope takes no word for its marker that lacks a letter", rules: "evalscope", text: "anwer: B. C", want: "C",
		rule: "last-upper-case"},
	{name: "evalscope takes no half word for its marker", rules: "evalscope", text: "ans: B. C", want: "C", rule: "last-upper-case"},
	{name: "agi-evals looks on where an answer line is empty", rules: "agi-evals", text: "Answer: **\nIt is (B).", want: "B",
		rule: "parenthesised"},
	{name: "anchored takes no article for an answer", rules: "anchored", text: "The answer is a dog.", want: none},
	{name: "anchored takes no small letter that is not closed", rules: "anchored", text: "The answer is (b or so.", want: none},

	{name: "anchored takes an answer after which another is dismissed", rules: "anchored", text: "The answer is A, and B is wrong.",
		want: "A", rule: "last-anchored"},
	{name: "anchored takes an answer after which another is dismissed without a comma", rules: "anchored",
		text: "The answer is A and B is wrong.", want: "A", rule: "last-anchored"},

	// every rule set
	{name: "nothing is found in an empty completion", rules: "tiger", text: "", want: none},
	{name: "anchored takes no digit for an answer", rules: "anchored", text: "The answer is (B). The answer is 7", want: "B",
		rule: "last-anchored"},
	{name: "anchored takes no Z of ten", rules: "anchored", text: "The answer is (B). The answer is Z", want: "B", rule: "last-anchored"},
	{name: "anchored takes an I before a remark", rules: "anchored", text: "The answer is I (see above)", want: "I", rule: "last-anchored"},
	{name: "anchored takes two answers for none, whatever follows", rules: "anchored", text: "The answer is A or B in doubt",
		want: none},
	{name: "anchored takes two with a comma for none, whatever follows", rules: "anchored",
		text: "The answer is A, or B in doubt", want: none},
	{name: "anchored takes two with a slash for none, whatever follows", rules: "anchored", text: "The answer is A/B in doubt", want: none},
	{name: "anchored takes two that end the text for none", rules: "anchored", text: "The answer is A and B", want: none},
	{name: "anchored takes an answer that an ampersand follows", rules: "anchored", text: "The answer is A & B is wrong", want: "A",
		rule: "last-anchored"},
	{name: "nothing is found in broken UTF-8", rules: "agi-evals", text: "\xff\xfe(", want: none},
}

const long = "this is a long explanation of everything there is to be said about the matter, which goes on for so many words " +
	"that the letter at its beginning is no longer near the end of the completion, not even for a very patient reader of it"

func TestEachRuleSetFindsTheLetterItShould(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			set, err := grade.Lookup(c.rules)
			assert.NilError(t, err)
			options := c.options
			if options == 0 {
				options = 10
			}
			m := mark(set, item{Text: c.text, Options: options, Gold: "A", Stop: []string{"Question:"}, Finish: backends.FinishStop})
			assert.Check(t, m.Letter == c.want && m.Rule == c.rule,
				"%q: got letter %q by rule %q, want %q by %q", c.text, m.Letter, m.Rule, c.want, c.rule)
			if m.Answered() != (m.At != grade.Span{}) || m.Answered() && !endsIn(c.text, m.At, m.Letter) {
				t.Errorf("%q: letter %q is said to be at %v", c.text, m.Letter, m.At)
			}
		})
	}
}

func TestTheTableNamesEveryRule(t *testing.T) {
	found := map[string]bool{}
	for _, c := range cases {
		found[c.rules+" "+c.rule] = true
	}
	for _, set := range grade.Sets() {
		for _, rule := range set.Rules {
			assert.Check(t, found[set.Name+" "+rule.Name], "no case has rule %s of %s find a letter", rule.Name, set.Name)
		}
	}
}
