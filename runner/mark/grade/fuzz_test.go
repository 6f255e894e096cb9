package grade_test

import (
	"strings"
	"testing"

	"proctor/backends"
	"proctor/runner/mark/grade"
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
