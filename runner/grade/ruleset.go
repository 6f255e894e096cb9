package grade

import (
	"fmt"
	"slices"
	"strings"

	"proctor/prompts/task"
)

// A RuleSet is a named way of finding the answer in a completion.
type RuleSet struct {
	Name  string
	Rules []Rule // tried in order
	About About  // for people; empty for one that is not built in

	only      task.Variants // the items of the tasks that it applies to; empty for all
	anyLetter bool          // letters beyond the question's options are answers too
	reach     int           // above 0: the first rule takes the first match, none of which has more bytes than this
	strip     bool          // thinking is left out whatever the style says
	cut       bool          // the text is cut at the first stop string
	guesses   bool          // the harness that it is of guesses where it finds nothing
}

// About explains a rule set for people.
type About struct {
	Takes  string `json:"takes"`  // as the answer
	Agrees string `json:"agrees"` // with whom
	Use    string `json:"use"`    // when
}

// Guesses says whether the harness that a rule set is of takes one of the question's options at random where it finds no
// answer. The rule set does not.
func (s RuleSet) Guesses() bool { return s.guesses }

// A Rule is one way of finding a letter.
type Rule struct {
	Name string
	// Find looks for the answer to a question with the given number of options. With found, letter is the answer, or
	// 0 if the text settles that there is none; without it, the next rule is tried.
	Find func(text string, options int) (letter byte, found bool)
}

// Applies says whether the rule set can mark items of a task, given by its plain name such as mmlu_pro_binary.
func (s RuleSet) Applies(name string) bool {
	t, _ := task.Lookup(name)
	return s.only == "" || s.only == t.Variants
}

func (s RuleSet) find(text string, options int) (letter byte, rule string) {
	for _, r := range s.Rules {
		letter, found := r.Find(text, options)
		if !found {
			continue
		}
		if letter == 0 || !s.anyLetter && !within(letter, options) {
			return 0, ""
		}
		return letter, r.Name
	}
	return 0, ""
}

// Lookup finds a rule set by its name.
func Lookup(name string) (RuleSet, error) {
	for _, s := range Sets() {
		if s.Name == name {
			return s, nil
		}
	}
	return RuleSet{}, fmt.Errorf("grade: there is no rule set %q; there are %s", name, Names(Sets()))
}

// For lists the rule sets that apply to a task, in the order of [Sets].
func For(task string) []RuleSet {
	return slices.DeleteFunc(Sets(), func(s RuleSet) bool { return !s.Applies(task) })
}

// Names lists rule sets for people: tiger-strict, tiger, lm-eval.
func Names(sets []RuleSet) string {
	names := make([]string, len(sets))
	for i, s := range sets {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}
