package terms_test

import (
	"testing"
	"unicode/utf8"

	"proctor/runner/report/terms"
)

func TestEachTermHasALineOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, term := range terms.All {
		if wide := utf8.RuneCountInString(term.Means); term.Means == "" || wide > 80 {
			t.Errorf("%s: %d characters, want 1 to 80, so that name and meaning fit into 100 columns", term.Name, wide)
		}
		if found, ok := terms.In(term.Name); !ok || found != term || seen[term.Name] {
			t.Errorf("%s is there twice, or is not found", term.Name)
		}
		seen[term.Name] = true
	}
}

func TestHeadingsNameTerms(t *testing.T) {
	for heading, want := range map[string]string{
		"p (Holm)": "Holm", "Balanced accuracy": "balanced accuracy", "tango score, continuity": "Tango", "TPR": "TPR",
		"Hölms": "", "powerful": "", "accuracy": "", "": "",
	} {
		if term, _ := terms.In(heading); term.Name != want {
			t.Errorf("%q names %q, want %q", heading, term.Name, want)
		}
	}
}
