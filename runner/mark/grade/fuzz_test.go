package grade_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"proctor/backends"
	"proctor/runner/mark/grade"
)

// The reference patterns, in Go's syntax, which the hand-written scanners are checked against.
var (
	answerIs    = regexp.MustCompile(`answer is \(?([A-J])\)?`)
	answerColon = regexp.MustCompile(`.*[aA]nswer:[\t-\r\x1c-\x1f\x{85}\p{Z}]*([A-J])`)
)

func FuzzGrade(f *testing.F) {
	for i, c := range cases {
		f.Add(c.text, i%10+1, i%2 == 0, "Question:")
	}
	f.Fuzz(func(t *testing.T, text string, options int, strip bool, stop string) {
		if options < 1 || options > 10 {
			t.Skip("questions have 1 to 10 options here")
		}
		it := item{Text: text, Options: options, Gold: "A", Stop: []string{stop}, Strip: strip, Finish: backends.FinishStop}
		for _, set := range grade.Sets() {
			checkMark(t, set, it)
		}
		if utf8.ValidString(text) { // Go's regexp reads broken UTF-8 in its own way
			checkAgainst(t, answerIs, grade.Sets()[0].Rules[0], text)
			checkAgainst(t, answerColon, grade.Sets()[1].Rules[1], text)
		}
	})
}

func checkMark(t *testing.T, set grade.RuleSet, it item) {
	m := mark(set, it)
	letters := "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:it.Options]
	if strings.HasPrefix(set.Name, "tiger") && it.Options < 10 {
		letters = "ABCDEFGHIJ"
	}
	switch {
	case m != mark(set, it):
		t.Errorf("%s: %q is marked differently the second time", set.Name, it.Text)
	case m.Answered() != (m.Letter != "") || m.Answered() != (m.Rule != ""):
		t.Errorf("%s: %q: answered %v, letter %q, rule %q", set.Name, it.Text, m.Answered(), m.Letter, m.Rule)
	case m.Answered() && (len(m.Letter) != 1 || !strings.Contains(letters, m.Letter)):
		t.Errorf("%s: %q: letter %q of %s", set.Name, it.Text, m.Letter, letters)
	case m.Correct != (m.Tag == "") || m.Correct != (m.Letter == it.Gold):
		t.Errorf("%s: %q: correct %v, tag %q, letter %q", set.Name, it.Text, m.Correct, m.Tag, m.Letter)
	case !m.Answered() && m.At != grade.Span{}:
		t.Errorf("%s: %q: no answer at %v", set.Name, it.Text, m.At)
	case m.Answered() && !endsIn(it.Text, m.At, m.Letter):
		t.Errorf("%s: %q: letter %q does not end %v", set.Name, it.Text, m.Letter, m.At)
	}
}

// endsIn says whether a span of the text ends in the letter, in any case.
func endsIn(text string, at grade.Span, letter string) bool {
	return 0 <= at.Start && at.Start < at.End && at.End <= len(text) && strings.HasSuffix(strings.ToUpper(text[:at.End]), letter)
}

func checkAgainst(t *testing.T, pattern *regexp.Regexp, rule grade.Rule, text string) {
	want := pattern.FindStringSubmatchIndex(text)
	m, found := rule.Find(text, 10)
	if found != (want != nil) || found && (text[want[2]:want[3]] != string(rune(m.Letter)) || m.End != want[3]) {
		t.Errorf("rule %s: %q: got %q at %v, pattern %s has it at %v", rule.Name, text, m.Letter, m.Span, pattern, want)
	}
}
