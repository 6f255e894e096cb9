package grade_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/mark/grade"
)

// none stands for a completion that gives no answer.
const none = ""

var cases = []struct {
	name    string
	rules   string
	options int
	text    string
	want    string // the letter, and the rule that finds it
}{
	// more than ten options: every rule set reads letters up to the question's last one
	{"strict reaches Z of 26", "tiger-strict", 26, "the answer is (Z).", "Z by answer-is"},
	{"strict does not reach K of ten", "tiger-strict", 10, "the answer is (K).", none},
	{"tiger's colon reaches Q of 17", "tiger", 17, "Answer: Q", "Q by answer-colon"},
	{"tiger's last capital reaches Q of 17", "tiger", 17, "I say Q", "Q by last-capital"},
	{"tiger does not reach R of 17", "tiger", 17, "Answer: R", none},
	{"lm-eval reaches K of 12", "lm-eval", 12, "the answer is (K)", "K by answer-is"},
	{"evalscope reaches Z of 26", "evalscope", 26, "ANSWER: Z", "Z by answer-marker"},
	{"agi-evals reaches X of 26", "agi-evals", 26, "Answer: x", "X by answer-line"},
	{"agi-evals reaches a lone W of 26", "agi-evals", 26, "It is W, I think", "W by standalone"},
	{"anchored reaches (m) of 14", "anchored", 14, "the answer is (m)", "M by last-anchored"},
	{"anchored does not reach (o) of 14", "anchored", 14, "the answer is (o)", none},

	// direct takes what is a letter and nothing else
	{"direct takes a letter", "direct", 10, "C", "C by only-letter"},
	{"direct takes a letter with its space", "direct", 10, " J", "J by only-letter"},
	{"direct takes a letter with its bracket", "direct", 10, " (J", "J by only-letter"},
	{"direct takes no letter beyond the options", "direct", 3, "D", none},
	{"direct takes no sentence", "direct", 10, "the answer is (C)", none},
	{"direct takes no small letter", "direct", 10, "c", none},

	// as many layers of wrapping as an answer could have
	{"anchored reads through eight layers", "anchored", 10,
		"the answer is " + strings.Repeat(`\text{`, 8) + "C", "C by last-anchored"},
	{"anchored does not read through nine", "anchored", 10, "the answer is " + strings.Repeat(`\text{`, 9) + "C", none},
	{"evalscope takes two letters with a full-width comma for no answer", "evalscope", 10, "ANSWER: （A，C）", none},

	// tiger-strict
	{"strict takes a letter in brackets", "tiger-strict", 10, "So the answer is (C).", "C by answer-is"},
	{"strict takes a letter without brackets", "tiger-strict", 10, "the answer is D", "D by answer-is"},
	{"strict takes the first of two answers", "tiger-strict", 10,
		"the answer is (B). No, the answer is (C).", "B by answer-is"},
	{"strict goes on after a phrase without a letter", "tiger-strict", 10,
		"the answer is not clear, but the answer is (E)", "E by answer-is"},
	{"strict takes the first letter of a capitalised word", "tiger-strict", 10,
		"the answer is Because", "B by answer-is"},
	{"strict knows no bold letter", "tiger-strict", 10, "The answer is **C**", none},
	{"strict knows no small letter", "tiger-strict", 10, "the answer is (c)", none},
	{"strict knows no capital phrase", "tiger-strict", 10, "The Answer Is (C)", none},
	{"strict knows no line break before the letter", "tiger-strict", 10, "the answer is\n(C)", none},
	{"strict counts a letter beyond the options as answered", "tiger-strict", 4, "the answer is (J)", "J by answer-is"},
	{"strict takes nothing from a sentence cut off before the letter", "tiger-strict", 10,
		"Therefore the answer is (", none},
	{"strict takes a letter whose sentence is cut off after it", "tiger-strict", 10,
		"Therefore the answer is (G", "G by answer-is"},

	// tiger
	{"tiger begins like strict", "tiger", 10, "Answer: B, as the answer is (C).", "C by answer-is"},
	{"tiger falls back to a colon", "tiger", 10, "Answer: C.", "C by answer-colon"},
	{"tiger takes the last colon on the first line that has one", "tiger", 10,
		"Answer: B or answer: C\nAnswer: D", "C by answer-colon"},
	{"tiger looks past a line whose colon has no letter", "tiger", 10,
		"Answer: unclear\nanswer:\tE", "E by answer-colon"},
	{"tiger takes a letter on the line after the colon", "tiger", 10, "Answer:\r\n  F", "F by answer-colon"},
	{"tiger takes a letter after a no-break space", "tiger", 10, "Answer:\u00a0G", "G by answer-colon"},
	{"tiger takes the last bare capital in the end", "tiger", 10, "B is wrong, so it must be D", "D by last-capital"},
	{"tiger takes even the pronoun I", "tiger", 10, "C seems right, I guess", "I by last-capital"},
	{"tiger sees no bare capital beside a letter with an accent", "tiger", 10, "B, then éA", "B by last-capital"},
	{"tiger sees no bare capital in an identifier", "tiger", 10, "D and E_1", "D by last-capital"},
	{"tiger takes a capital from \\boxed", "tiger", 10, `$\boxed{C}$`, "C by last-capital"},
	{"tiger takes a capital beyond the options", "tiger", 4, "H", "H by last-capital"},
	{"tiger reads on into a question the model made up", "tiger", 10,
		"It is B.\n\nQuestion:\nOptions:\nA. x", "A by last-capital"},
	{"tiger never guesses", "tiger", 10, "no idea at all", none},

	// lm-eval
	{"lm-eval takes the first of two answers", "lm-eval", 10, "answer is A. answer is B", "A by answer-is"},
	{"lm-eval knows no colon", "lm-eval", 10, "Answer: C", none},
	{"lm-eval takes no letter beyond the options", "lm-eval", 4, "the answer is (E)", none},
	{"lm-eval takes the last of the question's letters", "lm-eval", 4, "the answer is (D)", "D by answer-is"},

	// evalscope
	{"evalscope takes its marker in any case", "evalscope", 10, "AnSwEr : B", "B by answer-marker"},
	{"evalscope takes a bold letter", "evalscope", 10, "**ANSWER: **C**", "C by answer-marker"},
	{"evalscope takes a bracketed letter", "evalscope", 10, "ANSWER: [D]", "D by answer-marker"},
	{"evalscope takes Unicode brackets", "evalscope", 10, "ANSWER: （E）", "E by answer-marker"},
	{"evalscope takes the last marker with a letter", "evalscope", 10,
		"ANSWER: A\nANSWER: B\nANSWER: [LETTER]", "B by answer-marker"},
	{"evalscope keeps the letter before a justification", "evalscope", 10, "ANSWER: B, not C", "B by answer-marker"},
	{"evalscope takes two letters for none", "evalscope", 10, "C! ANSWER: A, B", none},
	{"evalscope takes two letters in brackets for none", "evalscope", 10, "ANSWER: (A, C)", none},
	{"evalscope takes letters run together for none", "evalscope", 10, "ANSWER: AB", none},
	{"evalscope falls back to the last capital", "evalscope", 10, "so it is (C).", "C by last-upper-case"},
	{"evalscope's fallback ends at a capital that is no option", "evalscope", 10, "C, says Zoe", none},
	{"evalscope's fallback looks inside words", "evalscope", 10, "maybe Fluorine", "F by last-upper-case"},
	{"evalscope skips a marker with a letter beyond the options", "evalscope", 4,
		"ANSWER: B\nANSWER: H", "B by answer-marker"},
	{"evalscope knows no small letter", "evalscope", 10, "answer: c", none},
	{"evalscope reads a letter on the next line", "evalscope", 10, "ANSWER:\r\nC\r\n", "C by answer-marker"},
	{"evalscope finds nothing without any capital", "evalscope", 10, "no idea", none},

	{"evalscope takes nothing from a list that begins with a comma", "evalscope", 10,
		"ANSWER:, FAB", "B by last-upper-case"},
	{"evalscope takes nothing from a list that begins with a space and a comma", "evalscope", 10,
		"D. ANSWER: , A", "A by last-upper-case"},
	{"evalscope takes a long s for an S", "evalscope", 10, "anſwer: C Z", "C by answer-marker"},

	{"evalscope takes no other letter for the S of its marker", "evalscope", 10, "anxwer: C, says Zoe", none},
	{"evalscope's marker may be cut off", "evalscope", 10, "C, an", "C by last-upper-case"},
	{"evalscope's fallback takes a capital that begins the text", "evalscope", 10, "C", "C by last-upper-case"},

	// agi-evals
	{"agi takes an answer line", "agi-evals", 10, "I think.\nAnswer: C.", "C by answer-line"},
	{"agi takes a bold answer line", "agi-evals", 10, "**Answer: C**", "C by answer-line"},
	{"agi takes a bold word and a bold letter", "agi-evals", 10, "**Answer:** **(D)**", "D by answer-line"},
	{"agi takes a heading with a final answer", "agi-evals", 10, "### Final Answer: E", "E by answer-line"},
	{"agi takes a boxed answer line", "agi-evals", 10, `Answer: $\boxed{\text{F}}$`, "F by answer-line"},
	{"agi takes a small letter alone on its answer line", "agi-evals", 10, "answer: c", "C by answer-line"},
	{"agi takes no small letter that begins a phrase", "agi-evals", 10, "answer: a dog", none},
	{"agi takes A and I from an answer line", "agi-evals", 10, "Answer: I", "I by answer-line"},
	{"agi takes no I that begins a sentence", "agi-evals", 10, "Answer: I don't know", none},
	{"agi takes the last answer line", "agi-evals", 10, "Answer: B\nwait\nAnswer: C\r\n", "C by answer-line"},
	{"agi takes an answer line that names two letters for none", "agi-evals", 10, "(D)\nAnswer: A or B", none},
	{"agi takes an answer line beyond the options for none", "agi-evals", 4, "(B)\nAnswer: J", none},
	{"agi takes a full-width colon and Unicode brackets", "agi-evals", 10, "Answer：【B】", "B by answer-line"},
	{"agi takes no answer from the middle of a line as a line", "agi-evals", 10,
		"Well, my answer: G? Or H", "H by standalone"},
	{"agi takes a parenthesised letter near the end", "agi-evals", 10, "The best choice is (G).", "G by parenthesised"},
	{"agi takes a bold letter in parentheses", "agi-evals", 10, "so (**A**)", "A by parenthesised"},
	{"agi takes full-width parentheses", "agi-evals", 10, "所以（H）", "H by parenthesised"},
	{"agi takes the last of two parenthesised letters", "agi-evals", 10, "not (A) but (B)", "B by parenthesised"},
	{"agi takes no parenthesised letter far from the end as one", "agi-evals", 10, "D (C) " + long, "C by standalone"},
	{"agi takes a parenthesised letter 200 bytes before the end", "agi-evals", 10,
		"(C)" + strings.Repeat("x", 198), "C by parenthesised"},
	{"agi takes none 201 bytes before the end", "agi-evals", 10, "(C)" + strings.Repeat("x", 199), "C by standalone"},
	{"agi takes no parenthesised unit beyond the options", "agi-evals", 4,
		"Option B: an energy of 5 (J)", "B by standalone"},
	{"agi takes a standalone capital", "agi-evals", 10, "It must be D", "D by standalone"},
	{"agi ignores A in prose", "agi-evals", 10, "A cell divides. A dog barks", none},
	{"agi ignores I in prose", "agi-evals", 10, "I believe I know. So do I.", none},
	{"agi takes C although I follows in prose", "agi-evals", 10, "C, I would say", "C by standalone"},
	{"agi takes A alone on its line", "agi-evals", 10, "Let me see\n\n**A**\n", "A by standalone"},
	{"agi takes I boxed", "agi-evals", 10, `Hence \boxed{I}`, "I by standalone"},
	{"agi takes A that heads its line like an option", "agi-evals", 10, "A) paris", "A by standalone"},
	{"agi takes no capital that is part of a compound", "agi-evals", 10, "B-cells and vitamin-D", none},
	{"agi takes nothing from a sentence cut off before the letter", "agi-evals", 10, "Answer:", none},

	// anchored
	{"anchored takes the last announcement", "anchored", 10,
		"the answer is (B)... no, the answer is (C)", "C by last-anchored"},
	{"anchored takes markdown bold", "anchored", 10, "The correct answer is: **C**.", "C by last-anchored"},
	{"anchored takes a bold word with its colon", "anchored", 10, "**Answer**: **D**", "D by last-anchored"},
	{"anchored takes \\boxed", "anchored", 10, `Hence $\boxed{\textbf{(C)}}$.`, "C by last-anchored"},
	{"anchored takes no number from \\boxed", "anchored", 10, `Hence $\boxed{42}$.`, none},
	{"anchored takes Answer: C.", "anchored", 10, "Answer: C.", "C by last-anchored"},
	{"anchored takes a small letter in brackets", "anchored", 10, "the answer is (c).", "C by last-anchored"},
	{"anchored takes a small letter that ends the text", "anchored", 10, "the answer is b", "B by last-anchored"},
	{"anchored takes a small letter that ends the line", "anchored", 10, "ANSWER: b\nQ", "B by last-anchored"},
	{"anchored takes a small letter that ends the sentence", "anchored", 10,
		"So the answer is a. Done", "A by last-anchored"},
	{"anchored takes no abbreviation", "anchored", 10, "the answer is e.g. five", none},
	{"anchored takes no small letter that goes on", "anchored", 10, "the answer is c = 5", none},
	{"anchored takes no small letter beyond the options", "anchored", 10, "the answer is x.", none},
	{"anchored takes no small letter in prose", "anchored", 10, "the answer is a function", none},
	{"anchored takes no capital that begins a word", "anchored", 10, "The answer is Because", none},
	{"anchored takes capitals throughout", "anchored", 10, "THE ANSWER IS (E)", "E by last-anchored"},
	{"anchored takes the correct option", "anchored", 10,
		"The correct option is most likely option F", "F by last-anchored"},
	{"anchored takes the letter on the next line", "anchored", 10,
		"The final answer is:\r\n\r\n**G**\r\n", "G by last-anchored"},
	{"anchored takes Unicode brackets", "anchored", 10, "the answer is （H）", "H by last-anchored"},
	{"anchored takes a letter beyond the options for none", "anchored", 4,
		"the answer is (B). the answer is (J)", none},
	{"anchored takes two answers for none", "anchored", 10, "The answer is A or B.", none},
	{"anchored takes a list of answers for none", "anchored", 10, "The answer is (A), (C).", none},
	{"anchored keeps the letter before a remark about another", "anchored", 10,
		"The answer is (B), (C) is wrong.", "B by last-anchored"},
	{"anchored takes no bare letter", "anchored", 10, "C", none},
	{"anchored takes a letter whose sentence is cut off after it", "anchored", 10,
		"so the answer is (C", "C by last-anchored"},
	{"anchored takes nothing from a sentence cut off before the letter", "anchored", 10, "so the answer is (", none},
	{"anchored takes no I that begins a clause", "anchored", 10, "The answer is I think unclear", none},
	{"anchored stops at a question the model made up", "anchored", 10,
		"the answer is (A).\n\nQuestion: next\nthe answer is (B).", "A by last-anchored"},
	{"anchored leaves thinking out", "anchored", 10,
		"<think>the answer is (A)</think>The answer is (B).", "B by last-anchored"},
	{"anchored leaves thinking out that the prompt opened", "anchored", 10,
		"the answer is (A)</think>the answer is (D)", "D by last-anchored"},
	{"anchored takes nothing from thinking that never ended", "anchored", 10, "<think>the answer is (A)", none},
	{"anchored is not cut by a stop string inside thinking", "anchored", 10,
		"<think>Question: hm</think>the answer is (C)", "C by last-anchored"},

	// binary
	{"anchored takes a small a in brackets", "anchored", 10, "The answer is (a).", "A by last-anchored"},
	{"anchored takes a small j in brackets", "anchored", 10, "The answer is (j).", "J by last-anchored"},
	{"binary takes A", "binary", 2, "So it is true. The answer is (A).", "A by the-answer-is"},
	{"binary takes B without brackets", "binary", 2, "the answer is B", "B by the-answer-is"},
	{"binary takes the last of two", "binary", 2, "the answer is (A). Or the answer is (B).", "B by the-answer-is"},
	{"binary-first takes the first of two", "binary-first", 2,
		"the answer is (A). Or the answer is (B).", "A by first-answer-is"},
	{"binary-first looks past a letter that is none of the two", "binary-first", 2,
		"the answer is (C), so the answer is (B), not that the answer is (A)", "B by first-answer-is"},
	{"binary-first takes no third letter", "binary-first", 2, "the answer is (C)", none},
	{"binary takes no third letter", "binary", 2, "the answer is (C)", none},
	{"binary takes no words", "binary", 2, "the answer is True", none},
	{"binary takes no other announcement", "binary", 2, "Answer: A", none},

	// what looks nearly like a label
	{"evalscope takes a word that ends in Z for a word", "evalscope", 10, "ANSWER: AZ. so b", none},
	{"evalscope takes a word that ends in z for a word", "evalscope", 10, "ANSWER: Az. So B", "B by last-upper-case"},
	{"evalscope takes no word for its marker that lacks a letter", "evalscope", 10,
		"anwer: B. C", "C by last-upper-case"},
	{"evalscope takes no half word for its marker", "evalscope", 10, "ans: B. C", "C by last-upper-case"},
	{"agi-evals looks on where an answer line is empty", "agi-evals", 10,
		"Answer: **\nIt is (B).", "B by parenthesised"},
	{"anchored takes no article for an answer", "anchored", 10, "The answer is a dog.", none},
	{"anchored takes no small letter that is not closed", "anchored", 10, "The answer is (b or so.", none},

	{"anchored takes an answer after which another is dismissed", "anchored", 10,
		"The answer is A, and B is wrong.", "A by last-anchored"},
	{"anchored takes an answer after which another is dismissed without a comma", "anchored", 10,
		"The answer is A and B is wrong.", "A by last-anchored"},

	// every rule set
	{"nothing is found in an empty completion", "tiger", 10, "", none},
	{"anchored takes no digit for an answer", "anchored", 10,
		"The answer is (B). The answer is 7", "B by last-anchored"},
	{"anchored takes no Z of ten", "anchored", 10, "The answer is (B). The answer is Z", "B by last-anchored"},
	{"anchored takes an I before a remark", "anchored", 10, "The answer is I (see above)", "I by last-anchored"},
	{"anchored takes two answers for none, whatever follows", "anchored", 10, "The answer is A or B in doubt", none},
	{"anchored takes two with a comma for none, whatever follows", "anchored", 10,
		"The answer is A, or B in doubt", none},
	{"anchored takes two with a slash for none, whatever follows", "anchored", 10, "The answer is A/B in doubt", none},
	{"anchored takes two that end the text for none", "anchored", 10, "The answer is A and B", none},
	{"anchored takes an answer that an ampersand follows", "anchored", 10,
		"The answer is A & B is wrong", "A by last-anchored"},
	{"nothing is found in broken UTF-8", "agi-evals", 10, "\xff\xfe(", none},
}

const long = "this is a long explanation of everything there is to be said about the matter, which goes on for so many words " +
	"that the letter at its beginning is no longer near the end of the completion, not even for a very patient reader of it"

func TestEachRuleSetFindsTheLetterItShould(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			set, err := grade.Lookup(c.rules)
			assert.NilError(t, err)
			m, got := mark(set, item{Text: c.text, Options: c.options, Gold: "A", Stop: []string{"Question:"},
				Finish: backends.FinishStop}), none
			if m.Letter != "" || m.Rule != "" {
				got = m.Letter + " by " + m.Rule
			}
			assert.Check(t, is.Equal(got, c.want), "%q", c.text)
			assert.Check(t, m.Answered() == (m.At != grade.Span{}) &&
				(!m.Answered() || endsIn(c.text, m.At, m.Letter)), "%q: at %v", c.text, m.At)
		})
	}
}

func TestTheTableNamesEveryRule(t *testing.T) {
	found := map[string]bool{}
	for _, c := range cases {
		_, rule, _ := strings.Cut(c.want, " by ")
		found[c.rules+" "+rule] = true
	}
	for _, set := range grade.Sets() {
		for _, rule := range set.Rules {
			assert.Check(t, found[set.Name+" "+rule.Name], "no case has rule %s of %s find a letter", rule.Name, set.Name)
		}
	}
}
