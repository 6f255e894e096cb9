package grade

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
)

// A RuleSet is a named way of finding the answer in a completion.
type RuleSet struct {
	Name  string
	Rules []Rule // tried in order
	Text  string // of the file that it was read from; empty for a built-in one
	About About  // for people; only Takes for one that is not built in

	only      task.Variants // the items of the tasks that it applies to; empty for all
	direct    bool          // it applies to the direct variants of tasks, and to nothing else
	anyLetter bool          // letters beyond the question's options are answers too
	first     bool          // the first rule takes the first match
	strip     bool          // leaves thinking out whatever the style says
	cut       bool          // the text is cut at the first stop string
	guesses   bool          // its harness guesses where it finds nothing
	answered  bool          // the score of the harness that it is of leaves out items without an answer
	forms     []form        // of answers that it supports, its own prompts' first; empty for any
}

// A form is how a prompt asks for its answer.
type form string

const (
	saidForm    form = `"the answer is (X)"`
	lineForm    form = `a line "Answer: X"`
	capitalForm form = `a line "ANSWER: X"`
	wordForm    form = `"the answer is (correct)"`
)

// Unsupported warns where a style's prompts ask for another form of answer than the rule set supports; empty where they don't, and for
// styles and rule sets that are not built in. The built-in styles have the names of the rule sets that go with them.
func (s RuleSet) Unsupported(style string) string {
	name, _, _ := strings.Cut(style, "@")
	own, err := Lookup(strings.TrimSuffix(name, "-direct"))
	if err != nil || own.Text != "" || len(own.forms) == 0 || len(s.forms) == 0 || slices.Contains(s.forms, own.forms[0]) {
		return ""
	}
	return fmt.Sprintf("rule set %s looks for %s, but the prompts of style %s asked for %s: it may miss answers, or take other text for one; "+
		"%s goes with them", s.Name, s.forms[0], style, own.forms[0], setting.Rules.As(own.Name))
}

// About explains a rule set for people.
type About struct {
	Takes  string `json:"takes"`            // as the answer
	Agrees string `json:"agrees,omitempty"` // with whom
	Use    string `json:"use,omitempty"`    // when
}

// Guesses says whether the rule set's harness picks an option at random where it finds no answer. The rule set does not.
func (s RuleSet) Guesses() bool { return s.guesses }

// ScoresAnswered says whether the rule set's harness scores only the items with an answer. Our accuracy never does.
func (s RuleSet) ScoresAnswered() bool { return s.answered }

// LeavesThinkingOut says whether the rule set leaves a run's thinking out, or takes it as part of the answer, as its harness does.
func (s RuleSet) LeavesThinkingOut(h *journal.Header) bool { return s.strip || h.Strip }

// Decides says whether the beginning of a completion can settle the mark. It can where the rule set's first rule takes the first
// match: later text is not looked at, and no other rule is tried. That also holds where the letter is not one of the question's, so
// that the item has no answer.
//
// It cannot where the last match counts, nor where thinking is left out (strip): everything so far may turn out to be thinking when a
// </think> comes.
func (s RuleSet) Decides(strip bool) bool { return s.first && !s.strip && !strip }

// A Rule is one way of finding a letter.
type Rule struct {
	Name string
	// Find looks for the answer to a question with this number of options. If found, the match holds the answer, or none if the text
	// settles that there is none; otherwise the next rule is tried.
	Find func(text string, options int) (m Match, found bool)
}

// A Match is the answer that a rule found.
type Match struct {
	Letter byte // 0 where the text settles that there is no answer
	Span        // of the text: from where the letter is announced, if it is, to its end
}

// A Span is a part of a text, in bytes of its UTF-8; the zero Span is none.
type Span struct{ Start, End int }

// to is a match that begins at start and ends with the letter that rest follows.
func to(text string, start int, letter byte, rest string) Match {
	return Match{letter, Span{start, len(text) - len(rest)}}
}

// bare is a match of the letter text[i] alone.
func bare(text string, i int) Match { return Match{text[i], Span{i, i + 1}} }

// Weakest is the name of the last rule, which takes what all others left, such as any capital letter; empty where there is one rule.
func (s RuleSet) Weakest() string {
	if len(s.Rules) < 2 {
		return ""
	}
	return s.Rules[len(s.Rules)-1].Name
}

// Applies says whether the rule set can mark items of a task, given by its plain name such as mmlu_pro_binary.
func (s RuleSet) Applies(name string) bool {
	t, _ := task.Lookup(name)
	return s.direct == t.Direct && (s.only == "" || s.only == t.Variants)
}

func (s RuleSet) find(text string, options int) (m Match, rule string) {
	for _, r := range s.Rules {
		m, found := r.Find(text, options)
		if !found {
			continue
		}
		if m.Letter == 0 || !s.anyLetter && !within(m.Letter, options) {
			return Match{}, ""
		}
		return m, r.Name
	}
	return Match{}, ""
}

// Lookup finds a built-in rule set by its name, or reads the text of a rule file, which has line feeds and a name has none.
func Lookup(name string) (RuleSet, error) {
	if strings.Contains(name, "\n") {
		return Parse("rules", name)
	}
	for _, s := range Sets() {
		if s.Name == name {
			return s, nil
		}
	}
	if s, ok := published(name); ok {
		return s, nil
	}
	return RuleSet{}, fmt.Errorf("there is no rule set %q; there are %s", name, Names(Sets()))
}

// Own is the rule set that a run was started with; one from a file is in its journal.
func Own(h *journal.Header) (RuleSet, error) {
	if h.RuleFile != nil {
		return Lookup(h.RuleFile.Text)
	}
	return Lookup(h.RuleSet)
}

// For lists the rule sets that apply to a task, in the order of [Sets].
func For(task string) []RuleSet {
	return slices.DeleteFunc(Sets(), func(s RuleSet) bool { return !s.Applies(task) })
}

// Names lists rule sets for people: tiger-strict, tiger, lm-eval.
func Names(sets []RuleSet) string {
	return format.List(sets, func(s RuleSet) string { return s.Name })
}
