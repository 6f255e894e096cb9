package runner

import (
	"fmt"

	"proctor/runner/grade"
)

// endingBy finds the rule set that ends completions at their answer, and refuses one that only whole texts can be marked
// with.
func endingBy(name, task string) (*grade.RuleSet, error) {
	rules, err := grade.Lookup(name)
	if err != nil {
		return nil, err
	}
	if rules.Decides(false) {
		return &rules, nil
	}
	return nil, fmt.Errorf("runner: rule set %s knows the answer only once the whole completion is there, so --stop-at-answer can't end it earlier: mark with %s, or leave the flag out",
		name, grade.Names(grade.Deciding(task)))
}

// until notes that a completion has its answer.
func (f *flight) until(decided grade.Decider) func(text []byte) bool {
	return func(text []byte) bool {
		f.atAnswer = decided(text)
		return f.atAnswer
	}
}
