package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/task"
	"proctor/runner/ask/form"
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

// converseChecked is [Plan.Converse] for a plan of either kind: the answer of a direct one comes before any thinking, which is
// off where the template knows that. A conversation that opens thinking all the same is refused.
func (p *Plan) converseChecked(d prompts.Dialogue, think string) error {
	err := chat.ErrThinkingUnknown
	if p.Task.Direct && d.Options.EnableThinking == nil {
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
		opens := slices.ContainsFunc(backends.Thinkings, func(t backends.Thinking) bool { return t.Opened(item.Opening) })
		switch turn := strings.TrimSpace(item.Opening); {
		case p.Task.Direct && (opens || strings.HasSuffix(turn, channels)):
			return fmt.Errorf("%s has the answer before any thinking, and the model's chat template has it think first (it ends "+
				"in %q): give %s, or %s", setting.Direct, endOf(turn), setting.Think.As("off"), setting.Prompt.As("raw"))
		case opens && p.think != nil && !*p.think:
			return fmt.Errorf("%s: the chat template opens thinking all the same (the prompt of %s ends in %q): leave the flag out, or give "+
				"another template with %s", setting.Think.As(p.header.Think), item.ID, endOf(turn), setting.ChatTemplate)
		}
	}
	return nil
}

// channels ends a conversation whose model says in which channel it goes on, as gpt-oss does.
const channels = "<|start|>assistant"

// spell finds out how the model writes the letters behind each prompt, for a direct plan, before Measure.
func (p *Plan) spell(model any) error {
	if !p.Task.Direct {
		return nil
	}
	found, cut, err := lettersBehind(p.Items, model, p.mostLetters())
	if err != nil {
		return err
	}
	if cut {
		p.measured = nil
	}
	p.letters, p.header.Direct = found, &journal.Direct{Spellings: found.spellings()}
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

// converse gives the plans' prompts their form, and has direct plans find their letters. Prompts that show a date keep the date on which the
// run began, where none was given.
func (s *Session) converse(ctx context.Context) error {
	wanted := s.Form
	given := !wanted.Now.IsZero()
	if !given {
		wanted.Now = s.earlier().Dated()
	}
	if wanted.Now.IsZero() {
		wanted.Now = s.Now().UTC()
	}
	dialogue, err := wanted.Dialogue(ctx, s.model)
	if err == nil && dialogue != nil && s.Shard != nil && !given {
		err = form.Undated(*dialogue)
	}
	if err != nil {
		return err
	}
	for _, plan := range s.plans {
		if dialogue != nil {
			if err := plan.converseChecked(*dialogue, wanted.Thinks()); err != nil {
				return err
			}
			plan.header.Date = &wanted.Now
			plan.header.ChatTemplate, plan.header.TemplateArguments = journal.SourceOf(wanted.File), wanted.Arguments.JSON()
		}
		if err := cmp.Or(plan.spell(s.model), s.budget(ctx, plan, dialogue)); err != nil {
			return err
		}
		plan.narrow()
	}
	if templated, can := s.model.(backends.Templated); can && dialogue == nil && templated.ChatTemplate().Text != "" {
		Tell(s.OnPlan, "raw prompts: the model has a chat template, which "+setting.Prompt.As(form.Chat)+" takes")
	}
	return nil
}
