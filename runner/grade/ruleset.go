package grade

import (
	"fmt"
	"strings"

	"proctor/backends"
)

// A RuleSet is a named way of finding the answer in a completion.
type RuleSet struct {
	Name  string
	Rules []Rule // tried in order

	task      string // the only task it applies to; empty for all
	anyLetter bool   // letters beyond the question's options are answers too
	reach     int    // above 0: the first rule takes the first match, none of which has more bytes than this
	strip     bool   // thinking is left out whatever the style says
	cut       bool   // the text is cut at the first stop string
}

// A Rule is one way of finding a letter.
type Rule struct {
	Name string
	// Find looks for the answer to a question with the given number of options. With found, letter is the answer, or
	// 0 if the text settles that there is none; without it, the next rule is tried.
	Find func(text string, options int) (letter byte, found bool)
}

// Applies says whether the rule set can mark items of a task, given by its plain name such as mmlu_pro_binary.
func (s RuleSet) Applies(task string) bool { return s.task == "" || s.task == task }

// Mark gives an item's verdict under the rule set.
func (s RuleSet) Mark(it Item) Mark {
	if it.Finish == backends.FinishError {
		return Mark{Tag: errorTag(it.Cause), Cause: it.Cause}
	}
	text, unclosed := it.Text, false
	if s.strip || it.Strip {
		text, unclosed = answerPart(it)
	}
	if s.cut {
		text = cutAt(text, it.Stop)
	}
	letter, rule := s.find(text, it.Options)
	if letter == 0 {
		return Mark{Tag: NoAnswer, Cause: cause(it, unclosed)}
	}
	m := Mark{Letter: string(rune(letter)), Rule: rule, Answered: true}
	m.Correct = m.Letter == it.Gold
	if !m.Correct {
		m.Tag, m.Cause = WrongAnswer, cause(it, unclosed)
	}
	return m
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

// errorTag tells our failures from the backend's: a prompt that does not fit its context was never fairly asked.
func errorTag(c backends.Cause) Tag {
	if c == backends.CauseTruncated {
		return HarnessError
	}
	return AdapterError
}

// cause picks what explains a failed item best. A loop explains a missing end of thinking, and that a full token cap.
func cause(it Item, unclosed bool) backends.Cause {
	switch {
	case it.Cause == backends.CauseLoop:
		return backends.CauseLoop
	case unclosed:
		return backends.CauseThinkUnclosed
	case it.Cause != "":
		return it.Cause
	case it.Finish == backends.FinishLength:
		return backends.CauseLength
	}
	return ""
}

func cutAt(text string, stop []string) string {
	for _, s := range stop {
		if s == "" {
			continue
		}
		text, _, _ = strings.Cut(text, s)
	}
	return text
}

// Lookup finds a rule set by its name.
func Lookup(name string) (RuleSet, error) {
	var names []string
	for _, s := range Sets() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return RuleSet{}, fmt.Errorf("grade: there is no rule set %q; there are %s", name, strings.Join(names, ", "))
}

// For lists the rule sets that apply to a task, in the order of [Sets].
func For(task string) []RuleSet {
	var sets []RuleSet
	for _, s := range Sets() {
		if s.Applies(task) {
			sets = append(sets, s)
		}
	}
	return sets
}
