package grade_test

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
)

func parsed(t *testing.T, text string) grade.RuleSet {
	t.Helper()
	set, err := grade.Parse("mine.rules", text)
	assert.NilError(t, err)
	return set
}

func TestAFileCanSayWhatABuiltInRuleSetDoes(t *testing.T) {
	built, err := grade.Lookup("lm-eval")
	assert.NilError(t, err)
	own := parsed(t, "name: mine\nfirst answer is \\(?([A-J])\\)?\n")
	for _, c := range cases {
		if c.options > 10 { // the built-in pattern grows with them
			continue
		}
		it := item{Text: c.text, Options: c.options, Gold: "A", Finish: backends.FinishStop}
		if it.Options == 0 {
			it.Options = 10
		}
		a, b := mark(built, it), mark(own, it)
		assert.Check(t, a.Letter == b.Letter && a.Tag == b.Tag, "%q: built in %q, the file %q", c.text, a.Letter, b.Letter)
	}
}

func TestRulesOfAFileFindTheLetterTheyShould(t *testing.T) {
	const two = "name: mine\nlast final: ([A-J])\nfirst (?i)answer (?:is )?\\(?([a-j])\\b\n"
	for name, c := range map[string]struct {
		rules, text  string
		options      int
		letter, rule string
	}{
		"the last of several":                 {two, "final: A, no, final: B", 4, "B", "last-1"},
		"patterns in order":                   {two, "the answer is (C). final: A", 4, "A", "last-1"},
		"the next where the first has none":   {two, "the ANSWER is (c). The answer is (D)", 4, "C", "first-2"},
		"the first of several":                {"name: m\nfirst ([A-Z])\\.\n", "D. or C.", 4, "D", "first-1"},
		"the one that begins last":            {"name: m\nlast ([AB])A?\n", "BA", 4, "A", "last-1"},
		"over lines":                          {"name: m\nlast (?m)^([A-D])$\n", "A\nB\nC d", 4, "B", "last-1"},
		"from the beginning of the text":      {"name: m\nlast ^([A-D])\n", "A\nB", 4, "A", "last-1"},
		"no letter beyond the options":        {two, "final: E", 4, "", ""},
		"nor an earlier one then":             {two, "final: B. final: E", 4, "", ""},
		"nor another rule's":                  {two, "answer is A. final: E", 4, "", ""},
		"a true-or-false item has two":        {two, "final: C", 2, "", ""},
		"a true-or-false item is answered":    {two, "final: B", 2, "B", "last-1"},
		"ten options have ten":                {two, "final: J", 10, "J", "last-1"},
		"nothing":                             {two, "I don't know", 4, "", ""},
		"a group that is left out of a match": {"name: m\nfirst answer(?: ([A-D]))?\nfirst ([A-D])\n", "answer: B", 4, "B", "first-2"},
		"one letter of two":                   {"name: m\nfirst x(A|B)\n", "xB", 4, "B", "first-1"},
		"a Kelvin sign is no letter":          {"name: m\nfirst (?i)x([a-k])\n", "x\u212a", 10, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := mark(parsed(t, c.rules), item{Text: c.text, Options: c.options, Gold: "B", Finish: backends.FinishStop})
			assert.Check(t, m.Letter == c.letter && m.Rule == c.rule && m.Correct == (c.letter == "B"),
				"got letter %q by %q, want %q by %q", m.Letter, m.Rule, c.letter, c.rule)
		})
	}
}

func TestAFileChoosesWhatIsRead(t *testing.T) {
	const rule = "name: m\nlast ([AB])\\b\n"
	text := "<think>A</think>B\nQuestion: A"
	for settings, want := range map[string]string{"": "A", "stop: cut\n": "B", "stop: cut\nthinking: drop\n": "B"} {
		m := mark(parsed(t, settings+rule), item{Text: text, Options: 4, Stop: []string{"Question:"}, Finish: backends.FinishStop})
		assert.Check(t, m.Letter == want, "%q: letter %q, want %q", settings, m.Letter, want)
	}
	it := item{Text: "<think>it is B", Options: 4, Finish: backends.FinishStop}
	if m := mark(parsed(t, "thinking: drop\n"+rule), it); m.Answered() || m.Cause != backends.CauseThinkUnclosed {
		t.Errorf("thinking without an end: %+v", m)
	}
}

func TestEveryMistakeInARuleFileIsOneLineThatNamesItsPlaceAndTheRemedy(t *testing.T) {
	const name = "name: mine\n"
	for what, test := range map[string]struct{ text, want string }{
		"an empty file":         {"", "f:1: the rule set has no name: begin with a line such as name: mine"},
		"no pattern":            {name + "\n# first (A)\n", "f:3: there is no pattern: add a line such as first"},
		"no name":               {"first (A)\n", "f:1: the rule set has no name"},
		"a built-in name":       {"name: tiger\n", "f:1: tiger is built in: give this rule set a name of its own, as in my-tiger"},
		"a name with a space":   {"name: a b\n", `f:1: name "a b": give one of letters, digits`},
		"a name twice":          {name + name, "f:2: name again: take one of them out"},
		"an unknown line":       {name + "\nany ([A-J])\n", `f:3: "any ([A-J])" is neither a setting (name, thinking, stop) nor a pattern`},
		"what is to be dropped": {name + "thinking: keep\n", `f:2: thinking "keep": there is drop`},
		"what is to be cut":     {name + "stop: no\n", `f:2: stop "no": there is cut`},
		"a broken pattern":      {name + "first answer ([A-J\n", "f:2: missing closing ]: `[A-J`: mend the pattern"},
		"lookahead": {name + "first (?=x)([A-J])\n",
			"f:2: invalid or unsupported Perl syntax: `(?=`: mend the pattern; it is RE2's"},
		"a backreference":     {name + "first ([A-J])\\1\n", "f:2: invalid escape sequence: `\\1`"},
		"no group":            {name + "first [A-J]\n", "f:2: the pattern has 0 groups: give it one"},
		"two groups":          {name + "first (x)([A-J])\n", "f:2: the pattern has 2 groups"},
		"a group of words":    {name + "first (True|False)\n", "f:2: the group must take one letter, as in ([A-J])"},
		"a group of two":      {name + "first ([A-J][A-J])\n", "f:2: the group must take one letter"},
		"a group of several":  {name + "first ([A-J]+)\n", "f:2: the group must take one letter"},
		"a group of anything": {name + "first (.)\n", "f:2: the group must take one letter"},
		"a group of digits":   {name + "first ([0-9])\n", "f:2: the group must take one letter"},
		"a group of A to z":   {name + "first ([A-z])\n", "f:2: the group must take one letter"},
		"a pattern too large": {name + "first (?:abcd){900}([A-J])\n",
			"f:2: the pattern is too large once its repetitions are written out"},
		"a repetition too high": {name + "first x{1001}([A-J])\n", "f:2: invalid repeat count"},
		"a pattern too long":    {name + "first " + strings.Repeat("x", 1000) + "(A)\n", "f:2: a pattern of 1003 bytes, more than 1000"},
		"too many patterns":     {name + strings.Repeat("first (A)\n", 33), "f:34: more than 32 patterns"},
		"a novel":               {name + strings.Repeat("#\n", grade.MaxRuleBytes), "f: more than 65536 bytes: is this a rule file?"},
		"an escape sequence":    {name + "first \x1b[(A)\n", `f:2: the invisible character U+001B: write it as \x{1b} in a pattern`},
		"broken UTF-8":          {name + "first \xff(A)\n", "f:2: not UTF-8"},
	} {
		t.Run(what, func(t *testing.T) {
			_, err := grade.Parse("f", test.text)
			assert.Check(t, err != nil && strings.HasPrefix(err.Error(), test.want) && !strings.Contains(err.Error(), "\n"),
				"got  %v\nwant %s", err, test.want)
		})
	}
}

func TestARunKeepsTheRuleSetOfItsFile(t *testing.T) {
	text := "name: mine\nlast ([A-J])\n"
	own, err := grade.Own(&journal.Header{RuleSet: "mine", RuleFile: journal.SourceOf(text)})
	assert.Check(t, err == nil && own.Name == "mine" && own.Text == text && own.Applies("mmlu_pro_binary") && !own.Decides(false),
		"%+v, %v", own, err)
	built, err := grade.Own(&journal.Header{RuleSet: "tiger"})
	assert.Check(t, err == nil && built.Name == "tiger", "%+v, %v", built, err)
}

// Patterns that look at the whole rest of a text from each of its places are the worst.
func TestALongCompletionIsMarkedByAFileInTimeProportionalToItsLength(t *testing.T) {
	for _, pattern := range []string{`A(?:.*Z)?([A-J])`, `(?s)(?:a|b|.)*([A-J])`, `(?:(?:x*)*)*([A-J])`, `([A-J])(?:.{0,100}q)?`} {
		for _, which := range []string{"first", "last"} {
			set := parsed(t, "name: m\n"+which+" "+pattern+"\n")
			start := time.Now()
			mark(set, item{Text: strings.Repeat("AxB ", 1<<15), Options: 10, Finish: backends.FinishStop})
			spent := time.Since(start)
			assert.Check(t, spent <= time.Minute, "%s %s takes %v for 128 KiB", which, pattern, spent)
		}
	}
}

func FuzzParseRules(f *testing.F) {
	for _, seed := range []string{
		"name: mine\nfirst answer is \\(?([A-J])\\)?\n",
		"name: m\nthinking: drop\nstop: cut\nlast (?i)([a-j])\\b\n", "name: m\r\nlast ([A-J])\r\n",
		"name: m\nfirst (?:(?:a{10}){10}){10}(A)\n", "name: m\nlast (?P<x>[A-C])|y\n", "first ", "last (", "name:", ":", "# first (A)\n",
	} {
		f.Add(seed, "the answer is (B). Answer: c")
	}
	f.Fuzz(func(t *testing.T, text, completion string) {
		set, err := grade.Parse("f", text)
		if err != nil {
			assert.Check(t, !strings.Contains(err.Error(), "\n") && strings.HasPrefix(err.Error(), "f:"), "error %q", err)
			return
		}
		checkMark(t, set, item{Text: completion, Options: 4, Gold: "A", Finish: backends.FinishStop})
		if again, err := grade.Lookup(text); err != nil && strings.Contains(text, "\n") || err == nil && again.Name != set.Name {
			t.Errorf("%q is read once only: %v", text, err)
		}
	})
}
