package html

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEachTermHasALineOfItsOwn(t *testing.T) {
	for i, term := range Terms {
		if wide := utf8.RuneCountInString(term.Means); wide == 0 || wide > 80 {
			t.Errorf("%s: %d characters, want 1 to 80, so that name and meaning fit into 100 columns", term.Name, wide)
		}
		for _, other := range Terms[:i] {
			if strings.EqualFold(other.Name, term.Name) {
				t.Errorf("%s is there twice", term.Name)
			}
		}
	}
}

func TestTextsNameTerms(t *testing.T) {
	for text, want := range map[string]string{
		"p (Holm)": "Holm", "Balanced accuracy": "balanced accuracy", "tango score, continuity": "Tango", "TPR": "TPR", "slots": "slot",
		"Wilson, effective size": "Wilson effective size", "Holmes": "", "powerful": "", "accuracy": "", "": "",
	} {
		var names []string
		for line := range strings.Lines(explained(text)) {
			name, _, _ := strings.Cut(line, ":")
			names = append(names, name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}
