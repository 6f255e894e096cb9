package grade

import (
	"strings"

	"github.com/dustin/go-humanize/english"

	"proctor/backends/setting"
)

// agiEvals is the rule set of suites that ask for an answer line, and hold the prompt to it, not the grader.
const agiEvals = "agi-evals"

// Asked is how the items were asked that a remedy is for.
type Asked struct {
	Style  string // name@version
	System bool   // a system text was given for the run
	Raw    bool   // no chat template was applied
}

// Remedy says what to do about completions in which the rule set finds no answer. It leaves out what was done already, and the cap
// where it ended none of them.
func (s RuleSet) Remedy(a Asked, capped bool) string {
	if s.Name == agiEvals {
		return mendPrompt(a, capped)
	}
	return "look at " + english.WordSeries(applying([]step{
		{a.Raw, "the prompt mode (" + setting.Prompt.As("chat") + " for a chat model)"},
		{capped, "the cap (" + setting.MaxTokens.String() + ")"},
		{true, "the rule set (" + setting.Rules.String() + ")"},
	}), "and")
}

// mendPrompt is the remedy where the prompt has to ask for the line that the rules look for.
func mendPrompt(a Asked, capped bool) string {
	name, _, _ := strings.Cut(a.Style, "@")
	steps := applying([]step{
		{name != agiEvals && name != agiEvals+"-direct", "ask with " + setting.Style.As(agiEvals)},
		{!a.System, "say \"end with `Answer: X`\" in " + setting.System.String()},
		{a.Raw, "ask a chat model with " + setting.Prompt.As("chat")},
		{capped, "raise " + setting.MaxTokens.String() + ", which ended some before the line"},
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
