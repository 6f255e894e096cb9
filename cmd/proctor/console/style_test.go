package console

import (
	"testing"

	"proctor/prompts"
	"proctor/runner/mark/grade"
)

// TestEveryStyleNamesARuleSetThatThereIs holds what prompts names against what grade has, since neither knows the other.
func TestEveryStyleNamesARuleSetThatThereIs(t *testing.T) {
	var names []string
	for _, style := range append(prompts.Styles, prompts.Published...) {
		names = append(names, style.Name)
	}
	for _, language := range prompts.ProxLanguages() {
		names = append(names, "mmlu-prox-"+language)
	}
	for _, name := range names {
		style, err := prompts.LookupStyle(name)
		if err != nil {
			t.Fatal(err)
		}
		if rules, err := grade.Lookup(style.Rules); err != nil || rules.Name != style.Rules {
			t.Errorf("%s: %v", name, err)
		}
	}
}
