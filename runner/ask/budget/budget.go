// Package budget limits how long a model thinks before it answers: after how many tokens its thinking is closed by force, and with
// which marks.
//
// The marks come from the model's chat template, else from the tokens of its vocabulary. A model whose template makes it think gets a
// budget by default: completions that end while thinking have no answer, and a usual cap on all of their tokens ends most of them
// there. Neighbours: package ask gives the budget to its requests; a [backends.Budgeter] keeps it.
package budget

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/mark/format"
)

// Default is the budget in tokens of a model whose template makes it think. It is enough for most questions of MMLU-Pro.
const Default = 8192

// A Choice is the user's choice of a budget.
type Choice struct {
	Tokens []int // ascending; none: the default
	Free   bool  // there is no default: the cap is on all tokens
}

// A Dialogue describes how prompts were written.
type Dialogue struct {
	Prompt   string // of an item; empty where prompts are raw
	Own      bool   // by the model's own template
	Template string // its text; empty where there is none, or another one was taken
	Off      bool   // thinking is
	Drawn    bool   // completions have drawn tokens only: no letters' probabilities, no log-probabilities
	Context  int    // tokens that the model was trained for; 0 where unknown
}

// Of is the budget for a model, whose template and context it reads; nil for none.
func (c Choice) Of(ctx context.Context, model backends.Model, d Dialogue) (*backends.Budget, error) {
	switch {
	case !d.Drawn && len(c.Tokens) > 0:
		return nil, fmt.Errorf("%s: neither %s nor %s goes with thinking that is closed by force: give one of them", setting.ThinkBudget,
			setting.Direct, setting.KeepLogprobs)
	case !d.Drawn:
		return nil, nil
	}
	if err := d.of(ctx, model); err != nil {
		return nil, err
	}
	return c.For(model, d)
}

// For is the budget for a model and a complete dialogue; nil for none.
func (c Choice) For(model backends.Model, d Dialogue) (*backends.Budget, error) {
	keeper, keeps := model.(backends.Budgeter)
	if len(c.Tokens) == 0 {
		_, served := model.(backends.Converser)
		if c.Free || !keeps || served || !d.thinks() {
			return nil, nil
		}
		most := Default
		if d.Context > 0 { // at most half of it
			most = min(most, d.Context/2)
		}
		return &backends.Budget{Tokens: []int{most}, Way: *ofTemplate(d)}, nil
	}
	switch {
	case d.Prompt == "":
		return nil, fmt.Errorf("%s needs a chat prompt, as thinking is the chat template's: give %s", setting.ThinkBudget, setting.Prompt.As("chat"))
	case d.Off:
		return nil, fmt.Errorf("%s ends thinking, which %s leaves out: give one of them", setting.ThinkBudget, setting.Think.As("off"))
	case !keeps:
		return nil, fmt.Errorf("%s: this backend can't end thinking; a GGUF file, llama-server and vLLM can: name one, or leave the flag out",
			setting.ThinkBudget)
	}
	way := ofTemplate(d)
	if _, served := model.(backends.Converser); served && way == nil {
		way = &backends.Tags // the server knows its own
	}
	if way == nil {
		way = ofTokens(model)
	}
	if way == nil {
		return nil, fmt.Errorf("%s: neither the model's chat template nor its tokens have marks of thinking that are known: leave the flag out",
			setting.ThinkBudget)
	}
	if ends(d.Prompt, way.Close) {
		return nil, fmt.Errorf("%s: the chat template closes the thinking itself (the prompt ends in %q): give %s, or leave the flag out",
			setting.ThinkBudget, strings.TrimSpace(way.Close), setting.Think.As("on"))
	}
	b := backends.Budget{Tokens: c.Tokens, Way: *way}
	return &b, keeper.CheckBudget(b)
}

// ofTemplate finds the marks of thinking in the model's chat template, or in a prompt that it wrote; nil for none.
func ofTemplate(d Dialogue) *backends.Thinking {
	if way := backends.ThinkingOf(d.Template); way != nil {
		return way
	}
	for _, way := range backends.Thinkings {
		if ends(d.Prompt, way.Open) {
			return &way
		}
	}
	return nil
}

// ends says whether a prompt ends in a mark.
func ends(prompt, mark string) bool { return strings.HasSuffix(strings.TrimSpace(prompt), mark) }

// ClosingMark is the mark with which a dialogue's prompt closes thinking although the user did not ask for that; empty where it does not.
// Some templates do so by default, and servers that do not recognise a template's marks.
func ClosingMark(d Dialogue) string {
	for _, way := range backends.Thinkings {
		if !d.Off && ends(d.Prompt, way.Close) {
			return strings.TrimSpace(way.Close)
		}
	}
	return ""
}

// ofTokens finds marks of thinking that are tokens of the model's vocabulary; nil for none.
func ofTokens(model backends.Model) *backends.Thinking {
	scorer, knows := model.(backends.Scorer)
	if !knows {
		return nil
	}
	for _, way := range backends.Thinkings {
		all := true
		for _, mark := range way.Special {
			_, found := scorer.TokenOf(mark)
			all = all && found
		}
		if all {
			return &way
		}
	}
	return nil
}

// Listed are budgets for people: 512, 2,048 and 8,192.
func Listed(budgets []int) string {
	var all []string
	for _, n := range budgets {
		all = append(all, format.Count(n))
	}
	return english.WordSeries(all, "and")
}

// Line describes the budget for the user.
func Line(b *backends.Budget, answer int, chosen bool) string {
	text := fmt.Sprintf("thinking is closed after %s tokens (%s), an answer after %s", Listed(b.Tokens), strings.TrimSpace(b.Way.Close),
		format.Several(answer, "token"))
	if !chosen {
		text += fmt.Sprintf(": change that with %s and %s", setting.ThinkBudget, setting.MaxTokens)
	}
	return text
}
