package grade

import (
	"slices"
	"strings"

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
	var parts []string
	if a.Raw {
		parts = append(parts, "the prompt mode ("+setting.Prompt.As("chat")+" for a chat model)")
	}
	if capped {
		parts = append(parts, "the cap ("+setting.MaxTokens.String()+")")
	}
	parts = append(parts, "the rule set ("+setting.Rules.String()+")")
	if n := len(parts); n > 1 {
		parts = []string{strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]}
	}
	return "look at " + parts[0]
}

// mendPrompt is the remedy where the prompt has to ask for the line that the rules look for.
func mendPrompt(a Asked, capped bool) string {
	var steps []string
	name, _, _ := strings.Cut(a.Style, "@")
	if !slices.Contains([]string{agiEvals, agiEvals + "-direct"}, name) {
		steps = append(steps, "ask with "+setting.Style.As(agiEvals))
	}
	if !a.System {
		steps = append(steps, "say \"end with `Answer: X`\" in "+setting.System.String())
	}
	if a.Raw {
		steps = append(steps, "ask a chat model with "+setting.Prompt.As("chat"))
	}
	if capped {
		steps = append(steps, "raise "+setting.MaxTokens.String()+", which ended some before the line")
	}
	if len(steps) == 0 {
		return "mend the prompt, not the grader: it asks for the line already, and `proctor show RUN ID` has what the model ends with"
	}
	return "mend the prompt, not the grader: " + strings.Join(steps, ", or ")
}
