// Package budget limits how long a model thinks before it answers: after how many tokens its thinking is closed by
// force, and with which marks.
//
// The marks are those of the model's chat template. A model whose template makes it think gets a
// budget by default: completions that end while thinking have no answer, and a usual cap on all of their tokens ends
// most of them there. Neighbours: package ask gives the budget to its requests; a [backends.Budgeter] keeps it.
package budget

import (
	"fmt"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/mark/format"
)

// Default is the budget in tokens of a model whose template makes it think. It is enough for most questions of
// MMLU-Pro.
const Default = 8192

// A Choice is the user's choice of a budget.
type Choice struct {
	Tokens []int // ascending; none: the default
	Free   bool  // there is no default: the cap is on all tokens
}

// A Dialogue describes how prompts were written.
type Dialogue struct {
	Prompt  string             // of an item; empty where prompts are raw
	Marks   *backends.Thinking // of the template; nil where it shows none
	Off     bool               // thinking is
	Direct  bool               // letters' probabilities are read, and nothing is generated
	Kept    bool               // log-probabilities are, of one completion
	Context int                // tokens that the model was trained for; 0 where unknown
}

// Of is the budget for a model in a dialogue; nil for none.
func (c Choice) Of(model backends.Model, d Dialogue) (*backends.Budget, error) {
	if d.Direct && len(c.Tokens) > 0 {
		return nil, fmt.Errorf("%s: %s generates no thinking: give one of them", setting.ThinkBudget, setting.Direct)
	}
	if d.Kept && len(c.Tokens) > 1 {
		return nil, fmt.Errorf("%s: %s keeps those of one completion: give one budget", setting.ThinkBudget,
			setting.KeepLogprobs)
	}
	keeper, keeps := model.(backends.Budgeter)
	if len(c.Tokens) == 0 {
		_, served := model.(backends.Converser)
		if c.Free || d.Direct || !keeps || served || !d.Thinks() {
			return nil, nil
		}
		most := Default
		if d.Context > 0 { // at most half of it
			most = min(most, d.Context/2)
		}
		return &backends.Budget{Tokens: []int{most}, Way: *d.Marks}, nil
	}
	switch {
	case d.Prompt == "":
		return nil, fmt.Errorf("%s needs a chat prompt, as thinking is the chat template's: give %s", setting.ThinkBudget,
			setting.Prompt.As("chat"))
	case d.Off:
		return nil, fmt.Errorf("%s ends thinking, which %s leaves out: give one of them", setting.ThinkBudget,
			setting.Think.As("off"))
	case !keeps:
		return nil, fmt.Errorf("%s: this backend can't end thinking; a GGUF file, llama-server and vLLM can: name one, or "+
			"leave the flag out", setting.ThinkBudget)
	}
	way := d.Marks
	if _, served := model.(backends.Converser); served && way == nil {
		way = &backends.Tags // the server knows its own
	}
	if way == nil {
		return nil, fmt.Errorf("%s: the model's chat template shows no marks of thinking: give them with %s, or leave the "+
			"flag out", setting.ThinkBudget, setting.ThinkMarks.As("OPEN,CLOSE"))
	}
	if ends(d.Prompt, way.Close) {
		return nil, fmt.Errorf("%s: the chat template closes the thinking itself (the prompt ends in %q): give %s, or "+
			"leave the flag out", setting.ThinkBudget, strings.TrimSpace(way.Close), setting.Think.As("on"))
	}
	b := backends.Budget{Tokens: c.Tokens, Way: *way}
	return &b, keeper.CheckBudget(b)
}

// ends says whether a prompt ends in a mark.
func ends(prompt, mark string) bool { return strings.HasSuffix(strings.TrimSpace(prompt), mark) }

// ClosingMark is the mark with which a dialogue's prompt closes thinking although the user did not ask for that; empty
// where it does not. Some templates do so by default, and servers that do not recognise a template's marks.
func ClosingMark(d Dialogue) string {
	if d.Marks != nil && !d.Off && ends(d.Prompt, d.Marks.Close) {
		return d.Marks.Close
	}
	return ""
}

// Line describes the budget for the user.
func Line(b *backends.Budget, answer int, chosen bool) string {
	text := fmt.Sprintf("thinking is closed after %s tokens (%s), an answer after %s", format.Counts(b.Tokens),
		strings.TrimSpace(b.Way.Close), format.Several(answer, "token"))
	if !chosen {
		text += fmt.Sprintf(": change that with %s and %s", setting.ThinkBudget, setting.MaxTokens)
	}
	return text
}
