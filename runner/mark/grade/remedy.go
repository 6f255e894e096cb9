package grade

import (
	"fmt"
	"strconv"
	"strings"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
)

// agiEvals is the rule set of suites whose prompts ask for an answer line, so that the prompt, not the grader, needs fixing.
const agiEvals = "agi-evals"

// roomy is a cap that hardly any reasoning reaches.
const roomy = 16384

// Failed describes items with the same tag or cause.
type Failed struct {
	Header *journal.Header // of their run
	Shown  bool            // their reader sees the prompt and the completion: nothing sends them there

	Items int
	Cut   int    // completions that the cap ended
	Other string // the rule set that finds a letter in most of them; empty where none does
	Found int    // number of these
	Lists int    // end in a list of options
}

// Remedy says what to do about items with a tag or a cause; where the rule set finds no answer, also what the completions contain. It
// leaves out steps that the run took already, and those that were tried here without effect.
func (s RuleSet) Remedy(name string, f Failed) string {
	switch {
	case name != string(NoAnswer):
		return find(Explanations(f), name).Remedy
	case s.Name == agiEvals:
		return f.mendPrompt()
	}
	return strings.Join(applying([]step{
		{f.Found > 0, fmt.Sprintf("%s finds a letter in %s", setting.Rules.As(f.Other), f.those(f.Found))},
		{f.Lists > 0, "a list of options ends " + f.those(f.Lists) + ": the model does not follow the format of the examples"},
		{f.Found == 0 && f.Items != 1, "no rule set finds a letter in them" + f.unseen(": `proctor show RUN ID` shows them")},
		{f.Found == 0 && f.Items == 1, "no rule set finds a letter in it" + f.unseen(": `proctor show RUN ID` shows it")},
		{MayChat(f.Header), "ask a chat model with " + setting.Prompt.As("chat")},
		{f.Cut > 0, fmt.Sprintf("%s ended %s", setting.MaxTokens, f.those(f.Cut))},
	}), "; ")
}

// mendPrompt is the remedy where the prompt has to ask for the line that the rules look for.
func (f Failed) mendPrompt() string {
	name, _, _ := strings.Cut(f.Header.Style, "@")
	steps := applying([]step{
		{name != agiEvals && name != agiEvals+"-direct", "ask with " + setting.Style.As(agiEvals)},
		{f.Header.System == "", "say \"end with `Answer: X`\" in " + setting.System.String()},
		{MayChat(f.Header), "ask a chat model with " + setting.Prompt.As("chat")},
		{f.Cut > 0, fmt.Sprintf("raise %s, which ended %s before the line", setting.MaxTokens, f.those(f.Cut))},
	})
	if len(steps) == 0 {
		steps = []string{"it already asks for the line" + f.unseen(", and `proctor show RUN ID` shows how the model ends")}
	}
	return "fix the prompt, not the grader: " + strings.Join(steps, ", or ")
}

// unclosed is the remedy where thinking did not end: where the cap ended it, another cap.
func (f Failed) unclosed() string {
	if 2*f.Cut > f.Items {
		return longer(f.Header, true)
	}
	return unless(f.Header.Think == "off", "run again with "+setting.Think.As("off")+", or ") + "see" +
		f.unseen(" with `proctor show RUN ID`") + " where the thinking should end"
}

// those are n of the items.
func (f Failed) those(n int) string {
	if f.Items == 1 {
		return "it"
	}
	return format.Count(n) + " of them"
}

// unseen is the text, for a reader who is not shown the items.
func (f Failed) unseen(text string) string { return unless(f.Shown, text) }

// MayChat says whether a run's prompts are raw although the model has, or its server may have, a chat template.
func MayChat(h *journal.Header) bool {
	return (h.PromptMode == "" || h.PromptMode == "raw") && (h.Model.ChatTemplateSHA256 != "" || len(h.Backend.Servers) > 0)
}

// longer says how to get longer completions: with a larger cap that still fits the model's context, or, where the cap ended thinking,
// with none.
func longer(h *journal.Header, thinks bool) string {
	tokens := max(roomy, 4*h.Sampling.MaxTokens)
	if context := h.Model.ContextLength; context > 0 {
		tokens = min(tokens, context/2)
	}
	remedy := "run again with " + setting.MaxTokens.As(strconv.Itoa(tokens))
	if thinks && len(h.Budgets) == 0 && tokens > h.Sampling.MaxTokens {
		remedy = "run again with " + setting.ThinkBudget.As(strconv.Itoa(tokens)) + " or " + setting.MaxTokens.As(strconv.Itoa(tokens))
	}
	if tokens <= h.Sampling.MaxTokens {
		remedy = fmt.Sprintf("the model's context of %s has no room for more", format.Several(h.Model.ContextLength, "token"))
	}
	if thinks && h.Think != "off" {
		remedy += ", or with " + setting.Think.As("off")
	}
	return remedy
}

// A step is an action with the condition under which it applies.
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
