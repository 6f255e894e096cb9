package openai

import (
	"fmt"
	"iter"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
)

// budgetFields are a budget's in a request. llama-server closes thinking in the marks that it finds in the model's chat
// template, and heeds no budget where it finds none, as where the template leaves earlier thinking out: there these are taken.
func budgetFields(of *kind, b *backends.Budget) map[string]any {
	fields := map[string]any{}
	if b == nil {
		return fields
	}
	for _, key := range of.budgets {
		fields[key] = b.Most()
	}
	if before, _, found := strings.Cut(b.Closing(), b.Way.Close); found && of.llama() {
		fields["reasoning_budget_start_tag"], fields["reasoning_budget_end_tag"] = b.Way.Open, b.Way.Close
		fields["reasoning_budget_message"] = before
	}
	return fields
}

// CheckBudget implements [backends.Budgeter]: a server closes thinking in its own words, at one budget.
func (m *Model) CheckBudget(b backends.Budget) error {
	engine, template := m.first.known().kind, m.first.known().template
	switch {
	case engine.budgets == nil && engine.name == "":
		return fmt.Errorf("%s: %s does not say what it is, and OpenAI's protocol has no budget of thinking; llama-server and "+
			"vLLM take one: leave the flag out", setting.ThinkBudget, m.first.Name())
	case engine.budgets == nil:
		return fmt.Errorf("%s: the API of %s at %s has no budget of thinking; those of llama-server and vLLM have one: leave "+
			"the flag out", setting.ThinkBudget, engine.name, m.first.Name())
	case template != "" && !strings.Contains(template, b.Way.Close) && !strings.Contains(template, b.Way.Open):
		return fmt.Errorf("%s: the chat template at %s has no %s: give its marks of thinking with %s, or leave the flag out",
			setting.ThinkBudget, m.first.Name(), b.Way.Close, setting.ThinkMarks.As("OPEN,CLOSE"))
	case len(b.Tokens) > 1:
		return fmt.Errorf("%s: a server closes thinking at one budget: give one, or name the model's GGUF file for several", setting.ThinkBudget)
	}
	return nil
}

// withThinking makes the cap of requests one for all tokens, as a server's is.
func withThinking(requests iter.Seq[backends.Request]) iter.Seq[backends.Request] {
	return func(yield func(backends.Request) bool) {
		for r := range requests {
			if r.Budget != nil {
				r.MaxTokens += r.Budget.Room()
			}
			if !yield(r) {
				return
			}
		}
	}
}

// checkBudget says once where a server has the model think on past its budget.
func (m *Model) checkBudget(s *server, c *backends.Completion, b *backends.Budget) {
	if b == nil {
		return
	}
	c.Closed = c.Usage.ThinkingTokens >= b.Most()
	if thought := c.Usage.ThinkingTokens; thought > 2*(b.Most()+len(b.Closing())) {
		m.unkept.Do(func() {
			m.options.Warn("%s: %d tokens of thinking with a budget of %d: this server does not heed it; update it, or give it "+
				"what it wants to close thinking (vLLM a reasoning configuration)", s.Name(), thought, b.Most())
		})
	}
}
