package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/task"
	"proctor/runner/ask/budget"
	"proctor/runner/ask/form"
	"proctor/runner/ask/letters"
	"proctor/runner/journal"
)

// Converse turns the plan's prompts into conversations, before Measure. think is for the journal: on, off, or empty.
//
// The style's stop strings go, those given for the run stay: a conversation ends with its turn, and in one a stop string such
// as "Question:" would cut a model that repeats what it was asked. What the model thinks in tags is left out when its answer is marked.
func (p *Plan) Converse(d prompts.Dialogue, think string) error {
	items, note, err := d.Apply(p.Items)
	if err != nil {
		return err
	}
	if p.stopAt != nil {
		return fmt.Errorf("thinking is left out when a conversation's answer is marked, and a </think> can come after any answer, so %s "+
			"can't end it earlier: take %s, or leave the flag out", setting.StopAtAnswer, setting.Prompt.As(form.Raw))
	}
	p.Items, p.measured = items, nil
	p.header.PromptMode = form.Chat
	if d.Turns {
		p.header.PromptMode = form.Turns
	}
	p.header.Think, p.think, p.header.Effort = think, d.Options.EnableThinking, d.Options.Effort
	p.header.Strip = true
	if !p.ownStop {
		p.header.Sampling.Stop = []string{}
	}
	p.header.Preambles = p.preambles()
	if note != "" {
		p.header.Notes = append(p.header.Notes, note)
	}
	return nil
}

// converseDirectly is [Plan.Converse] for a plan of either kind: the answer of a direct one comes before any thinking, which is
// off where the template knows that, and a conversation that opens it is refused.
func (p *Plan) converseDirectly(d prompts.Dialogue, think string) error {
	if !p.Task.Direct {
		return p.Converse(d, think)
	}
	err := chat.ErrThinkingUnknown
	if d.Options.EnableThinking == nil {
		off, without := false, d
		without.Options.EnableThinking = &off
		err = p.Converse(without, form.Form{Think: &off}.Thinks())
	}
	if errors.Is(err, chat.ErrThinkingUnknown) {
		err = p.Converse(d, think)
	}
	if err != nil {
		return err
	}
	for _, item := range p.Items {
		turn := strings.TrimSpace(strings.TrimSuffix(item.Prompt(), strings.TrimLeft(item.AnswerPrefix, " \n")))
		opens := strings.HasSuffix(turn, channels)
		for _, t := range backends.Thinkings {
			opens = opens || strings.HasSuffix(turn, t.Open)
		}
		if opens {
			return fmt.Errorf("%s has the answer before any thinking, and the model's chat template has it think first (it ends "+
				"in %q): give %s, or %s", setting.Direct, letters.End(turn), setting.Think.As("off"), setting.Prompt.As("raw"))
		}
	}
	return nil
}

// channels ends a conversation whose model says in which channel it goes on, as gpt-oss does.
const channels = "<|start|>assistant"

// bring puts the chat template that people gave, and its variables, into the plan's journal.
func (p *Plan) bring(f form.Form) {
	if p.header.PromptMode != form.Raw {
		p.header.ChatTemplate, p.header.TemplateArguments = journal.SourceOf(f.File), f.Arguments.JSON()
	}
}

// read puts into a record what the model read of an item whose conversation the backend wrote down.
func read(record *journal.Record, item *prompts.Item, prompt string) {
	own, fits := strings.CutPrefix(prompt, item.Preamble)
	if fits && item.Shown != nil {
		own = prompt
	}
	if fits {
		record.Prompt = own
		return
	}
	record.Finish, record.Cause, record.Text = backends.FinishError, "", ""
	record.Error = "the server did not begin this conversation as it begins the subject's others"
}

// spell finds out how the model writes the letters behind each prompt, for a direct plan, before Measure.
func (p *Plan) spell(model any) error {
	if !p.Task.Direct {
		return nil
	}
	found, cut, err := letters.Behind(p.Items, model, p.mostLetters())
	if err != nil {
		return err
	}
	if cut {
		p.measured = nil
	}
	p.letters, p.header.Direct = found, &journal.Direct{Spellings: found.Spellings()}
	return nil
}

// mostLetters is how many letters the items choose from at most. Questions of the set that were not drawn count too: a run that is
// extended goes on with the spellings that it began with.
func (p *Plan) mostLetters() int {
	most := 0
	for _, item := range p.Items {
		most = max(most, item.Options)
	}
	if p.Task.Variants == task.EachOption {
		return most
	}
	return max(most, p.header.Dataset.Options)
}

// budget has a plan's thinking end at the budget that was chosen, or at the default of a model that thinks, and says so.
func (s *Session) budget(ctx context.Context, p *Plan, dialogue *prompts.Dialogue) (err error) {
	d := budget.Dialogue{Off: p.think != nil && !*p.think, Drawn: !p.Task.Direct && !p.keepsLogprobs}
	if dialogue != nil {
		d.Prompt, d.Own = p.Items[0].Prompt(), dialogue.Named == ""
	}
	if mark := budget.Shut(d); mark != "" && !p.Task.Direct && p.choice.Tokens == nil {
		s.warn(fmt.Sprintf("the model does not think: the chat template closes its thinking at once (prompts end in %q); %s has it "+
			"think, %s says that this is meant", mark, setting.Think.As("on"), setting.Think.As("off")))
	}
	if p.budget, err = p.choice.Of(ctx, s.model, d); err != nil {
		return err
	}
	if err := p.expect(ctx, s.model, d); err != nil || p.budget == nil {
		return err
	}
	p.header.Budgets, p.header.Close = p.budget.Tokens, p.budget.Say
	s.plan(budget.Line(p.budget, p.header.Sampling.MaxTokens, len(p.choice.Tokens) > 0))
	return nil
}

// mostTokens is how many a completion may have, its thinking counted.
func (p *Plan) mostTokens() int {
	if p.budget == nil {
		return p.header.Sampling.MaxTokens
	}
	return p.header.Sampling.MaxTokens + p.budget.Room()
}
