package grade

import (
	"fmt"
	"strings"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
)

// agiEvals is the rule set of suites that ask for an answer line, and hold the prompt to it, not the grader.
const agiEvals = "agi-evals"

// Asked is how the items were asked that have no answer, and what is known of them.
type Asked struct {
	Style  string // name@version
	System bool   // a system text was given for the run
	Raw    bool   // no chat template was applied, and the model may have one

	Cut   int    // completions that the cap ended
	Other string // the rule set that finds a letter in most of them; empty where none does
	Found int    // in so many
	Lists int    // end in a list of options
}

// Remedy says what to do about completions in which the rule set finds no answer, and what there is in them. It leaves out what was done
// already, and what was tried here and changes nothing.
func (s RuleSet) Remedy(a Asked) string {
	if s.Name == agiEvals {
		return mendPrompt(a)
	}
	return strings.Join(applying([]step{
		{a.Found > 0, fmt.Sprintf("%s finds a letter in %s of them", setting.Rules.As(a.Other), format.Count(a.Found))},
		{a.Lists > 0, format.Count(a.Lists) + " end in a list of options: the model does not follow the format of the examples"},
		{a.Found == 0, "no rule set finds a letter in them: `proctor show RUN ID` has what they say"},
		{a.Raw, "ask a chat model with " + setting.Prompt.As("chat")},
		{a.Cut > 0, fmt.Sprintf("%s ended %s of them", setting.MaxTokens, format.Count(a.Cut))},
	}), "; ")
}

// mendPrompt is the remedy where the prompt has to ask for the line that the rules look for.
func mendPrompt(a Asked) string {
	name, _, _ := strings.Cut(a.Style, "@")
	steps := applying([]step{
		{name != agiEvals && name != agiEvals+"-direct", "ask with " + setting.Style.As(agiEvals)},
		{!a.System, "say \"end with `Answer: X`\" in " + setting.System.String()},
		{a.Raw, "ask a chat model with " + setting.Prompt.As("chat")},
		{a.Cut > 0, "raise " + setting.MaxTokens.String() + ", which ended some before the line"},
	})
	if len(steps) == 0 {
		return "mend the prompt, not the grader: it asks for the line already, and `proctor show RUN ID` has what the model ends with"
	}
	return "mend the prompt, not the grader: " + strings.Join(steps, ", or ")
}

// A step is what can be done, where it applies.
type step struct {
	applies bool
	text    string
}

func applying(steps []step) (texts []string) {
	for _, s := range steps {
		if s.applies {
			texts = append(texts, s.text)
		}
	}
	return texts
}
