package console

import (
	"testing"

	"gotest.tools/v3/assert"

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
		assert.NilError(t, err)
		rules, err := grade.Lookup(style.Rules)
		assert.Check(t, err == nil && rules.Name == style.Rules, "%s: %v", name, err)
	}
}
