package ask

import (
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
	"proctor/runner/ask/budget"
	"proctor/runner/ask/form"
	"proctor/runner/ask/stopping"
	"proctor/runner/journal"
)

// Prompts are a task's questions, or a shard's part of them, as the model gets them: the second step of a [Plan].
type Prompts struct {
	Questions

	think   *bool              // of conversations; nil leaves it to the model
	marks   *backends.Thinking // of thinking; nil where none are known
	turnEnd string             // the mark that ends a turn; empty for none
	budget  *backends.Budget   // of their thinking; nil: it ends by itself
	length  budget.Length      // that completions are expected to have
	earlier budget.Earlier     // what the resumed run has so far; zero for a new run
	letters *letters           // of a direct task
}

// A Wording is how a model gets its prompts: raw, or as a dialogue of a form.
type Wording struct {
	Dialogue *prompts.Dialogue // nil for raw prompts
	Form     form.Form
	Observer
}

// Raw are the questions as raw prompts, without anything that depends on a model.
func (q *Questions) Raw() *Prompts { return &Prompts{Questions: *q} }

// Prompts writes the questions as a model gets them.
func (q *Questions) Prompts(ctx context.Context, model backends.Model, w Wording) (*Prompts, error) {
	p := q.Raw()
	p.Items = slices.Clone(q.Items)
	p.marks, p.turnEnd = w.Form.Thinking(model)
	if w.Dialogue != nil {
		if err := p.converse(*w.Dialogue, w.Form); err != nil {
			return nil, err
		}
	}
	if p.marks != nil { // then no rule set takes a letter out of what they enclose
		p.header.Strip = true
		if *p.marks != backends.Tags {
			p.header.Thinking = []backends.Thinking{*p.marks}
		}
	}
	if p.Task.Direct { // find out how the model writes the letters behind each prompt
		var err error
		if p.letters, err = lettersBehind(p.Items, model, p.mostLetters()); err != nil {
			return nil, err
		}
		p.header.Direct = &journal.Direct{}
		for _, token := range p.letters.tokens[0] { // of A
			p.header.Direct.Spellings = append(p.header.Direct.Spellings, p.letters.speller.Piece(token))
		}
	}
	if err := p.close(ctx, model, w); err != nil {
		return nil, err
	}
	if p.shardItems != nil { // the other shards' items are needed up to here: a preamble is common to all of the run's prompts
		p.Items, p.repeats = at(p.Items, p.shardItems), at(p.repeats, p.shardItems)
		p.blocks = [][]int{stopping.All(len(p.shardItems))}
	}
	return p, nil
}

// converse turns the prompts into conversations. The answer of a direct one comes before any thinking, which is off where the template
// knows that. A conversation that opens thinking all the same is refused.
func (p *Prompts) converse(d prompts.Dialogue, f form.Form) error {
	err := chat.ErrThinkingUnknown
	if p.Task.Direct && d.Options.EnableThinking == nil {
		without := d
		without.Options.EnableThinking = new(false)
		err = p.apply(without)
	}
	if errors.Is(err, chat.ErrThinkingUnknown) {
		err = p.apply(d)
	}
	if err != nil {
		return err
	}
	p.header.ChatTemplate, p.header.TemplateArguments = journal.SourceOf(f.ChatTemplate.Text), f.TemplateArgs.JSON()
	if !f.Now.IsZero() {
		p.header.Date = &f.Now
	}
	for _, item := range p.Items {
		opens := backends.Tags.Opened(item.Opening) || p.marks != nil && p.marks.Opened(item.Opening)
		// Where an answer begins with a mark of its own, a letter behind the turn's beginning is none.
		marked := p.marks != nil && !strings.HasSuffix(strings.TrimSpace(item.Opening), p.marks.Answer())
		switch turn := strings.TrimSpace(item.Opening); {
		case p.Task.Direct && (opens || marked):
			return fmt.Errorf("%s has the answer before any thinking, and the model's chat template has it think first (it ends "+
				"in %q): give %s, or %s", setting.Direct, endOf(turn), setting.Think.As("off"), setting.Prompt.As("raw"))
		case opens && p.think != nil && !*p.think:
			return fmt.Errorf("%s: the chat template opens thinking all the same (the prompt of %s ends in %q): leave the flag out, or give "+
				"another template with %s", setting.Think.As(p.header.Think), item.ID, endOf(turn), setting.ChatTemplate)
		}
	}
	return nil
}

// apply writes the prompts as a dialogue.
//
// The style's stop strings are dropped, those given for the run stay: a conversation ends with its turn, and a stop string such as
// "Question:" would cut a model that repeats its question. Thinking in tags is left out when the answer is marked.
func (p *Prompts) apply(d prompts.Dialogue) error {
	items, note, err := d.Apply(p.Items)
	if err != nil {
		return err
	}
	p.Items = items
	p.header.PromptMode = form.Chat
	if d.Turns {
		p.header.PromptMode = form.Turns
	}
	p.think, p.header.Effort = d.Options.EnableThinking, d.Options.Effort
	if p.header.Think = ""; p.think != nil {
		p.header.Think = map[bool]string{true: "on", false: "off"}[*p.think]
	}
	p.header.Strip = true
	if !p.spec.Stop.Given {
		p.header.Sampling.Stop = []string{}
		if p.turnEnd != "" && !d.Served { // a model that writes it as a text would play on with the user's part
			p.header.Sampling.Stop = []string{p.turnEnd}
		}
	}
	p.header.Preambles = preambles(p.Items)
	if note != "" {
		p.header.Notes = append(slices.Clip(p.header.Notes), note)
	}
	return nil
}

// mostLetters is the largest number of options. It includes questions of the set that were not drawn, so that a run that is extended
// keeps its spellings.
func (q *Questions) mostLetters() int {
	most := 0
	for _, item := range q.Items {
		most = max(most, item.Options)
	}
	if q.Task.Variants == task.EachOption {
		return most
	}
	return max(most, q.header.Dataset.Options)
}

// close sets the budget of thinking that was chosen, or the default for a model that thinks, and reports it. The expected length of
// completions follows from it.
func (p *Prompts) close(ctx context.Context, model backends.Model, w Wording) (err error) {
	d, choice := budget.Dialogue{Marks: p.marks, Off: p.think != nil && !*p.think, Direct: p.Task.Direct,
		Kept: p.spec.KeepLogprobs}, p.choice
	if w.Dialogue != nil {
		d.Prompt = p.Items[0].Prompt()
	}
	if mark := budget.ClosingMark(d); mark != "" && !p.Task.Direct && choice.Tokens == nil {
		Notify(w.Warn, fmt.Sprintf("the model does not think: the chat template closes its thinking at once (prompts end in %q); %s has it "+
			"think, %s says that this is meant", mark, setting.Think.As("on"), setting.Think.As("off")))
	}
	info, err := model.Info(ctx)
	if err != nil {
		return err
	}
	d.Context = info.Model.ContextLength
	if p.budget, err = choice.Of(model, d); err != nil {
		return err
	}
	if err := p.expect(d); err != nil || p.budget == nil {
		return err
	}
	p.header.Budgets = p.budget.Tokens
	Notify(w.OnPlan, budget.Line(p.budget, p.header.Sampling.MaxTokens, len(choice.Tokens) > 0))
	return nil
}

// expect estimates the length of completions: from the run so far, else from its reference run; else from the budget, or from what
// chains of thought usually take.
func (p *Prompts) expect(d budget.Dialogue) error {
	var budgets []int
	if p.budget != nil {
		budgets = p.budget.Tokens
	}
	most := p.header.Sampling.MaxTokens
	all := p.mostTokens() * max(1, len(budgets))
	if p.was != nil {
		p.earlier = budget.EarlierOf(p.folder, budgets, all)
		p.length = p.earlier.Length
		due, err := p.due()
		if err != nil {
			return err
		}
		for _, it := range due {
			delete(p.earlier.Done, it.ID)
		}
	}
	if p.Task.Direct || most == 0 {
		return nil
	}
	if until := p.header.Selection.UntilDecided; until != nil && p.length.Tokens == 0 {
		p.length = budget.EarlierOf(until.Run, budgets, all).Length
	}
	if p.length.Tokens == 0 {
		p.length = budget.Expected(budgets, most, d.Thinks())
	}
	return nil
}

// mostTokens is how many a completion may have, its thinking counted.
func (p *Prompts) mostTokens() int {
	if p.budget == nil {
		return p.header.Sampling.MaxTokens
	}
	return p.header.Sampling.MaxTokens + p.budget.Room()
}
