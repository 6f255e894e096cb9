package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/ask"
)

type renderOptions struct {
	evalOptions
	form     ask.Form
	question *int
	variant  *string
	all      bool
	digest   bool
	stop     []string
	model    registry.Options
}

func (p *program) render() *cli.Command {
	o := renderOptions{model: p.showing()}
	const needsModel = "--prompt and --think need --model, whose chat template they mean"
	return &cli.Command{
		Name:  "render",
		Usage: "print the exact prompt of a question",
		Description: "   proctor render --question 70 --data mmlu-pro/\n" +
			"   proctor render --question 70 --tasks mmlu_pro_binary --variant C\n" +
			"   proctor render --question 70 --model model.gguf      the token ids too\n" +
			"   proctor render --question 70 --model ollama:llama3.2:3b --prompt chat   as its server writes it\n" +
			"   proctor render --all --digest                        a line a subject: style, subject, count, sha256",
		Flags: slices.Concat(evalFlags(&o.evalOptions), promptFlags(&o.form), []cli.Flag{
			&cli.IntFlag{Name: "question", Usage: "`ID` of the question (question_id)", Category: "QUESTIONS", Action: flags.Given(&o.question)},
			&cli.StringFlag{
				Name: "variant", Category: "QUESTIONS", Action: flags.Given(&o.variant),
				Usage: "`V` of the question's items, such as C or BCDA (default: the first)",
			},
			&cli.BoolFlag{Name: "all", Destination: &o.all, Usage: "print every item as JSON Lines of id and prompt", Category: "QUESTIONS"},
			&cli.BoolFlag{
				Name: "digest", Destination: &o.digest, Category: "QUESTIONS",
				Usage: "with --all: print only a checksum of each subject's prompts",
			},
			&cli.StringFlag{
				Name: "model", Destination: &o.model.Ref, Category: "MODEL",
				Usage: "print token ids too, and apply the chat template, of the model `REF`",
			},
			inProcessFlag(&o.model),
			flags.Stop(&o.stop),
		}),
		Before: flags.Refusing(firstOfHowMany,
			flags.Refuse("prompt", flags.Without("model", "all"), needsModel),
			flags.Refuse("think", flags.Without("model", "all"), needsModel),
		),
		Action: flags.Only(func(c *cli.Context) error {
			o.model.Given = c.LocalFlagNames()
			return p.renderPrompts(c.Context, o)
		}),
	}
}

func (p *program) renderPrompts(ctx context.Context, o renderOptions) error {
	if o.all == (o.question != nil) {
		return errors.New("render needs either --question ID or --all")
	}
	set, err := p.openAsked(&o.evalOptions)
	if err != nil {
		return err
	}
	if o.all {
		return p.renderAll(set, o)
	}
	item, err := p.renderItem(set, o)
	if err != nil {
		return err
	}
	if o.model.Ref != "" {
		return p.renderFor(ctx, item, o)
	}
	_, err = fmt.Fprint(p.asItIs(), item.Prompt())
	return err
}

// renderFor prints an item's prompt as a model gets it, and its tokens.
func (p *program) renderFor(ctx context.Context, item prompts.Item, o renderOptions) error {
	model, err := registry.Reading(ctx, o.model, o.form.Mode != ask.PromptRaw)
	if err != nil {
		return err
	}
	defer model.Close()
	o.form.Now = p.now().UTC()
	dialogue, err := o.form.Dialogue(ctx, model)
	if err != nil {
		return err
	}
	if dialogue != nil {
		items, _, err := dialogue.Apply([]prompts.Item{item})
		if err != nil {
			return err
		}
		item = items[0]
	}
	ids, err := model.Tokenize(item.Prompt())
	if errors.Is(err, errors.ErrUnsupported) {
		fmt.Fprintln(p.asItIs(), item.Prompt())
		p.warn(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(p.asItIs(), "%s\n\n%d tokens: %s\n", item.Prompt(), len(ids), strings.Trim(fmt.Sprint(ids), "[]"))
	return nil
}

func (p *program) renderAll(set *dataset.Set, o renderOptions) error {
	eval, items, err := o.items(set, "render")
	if err != nil {
		return err
	}
	p.noteEnd(eval.Style, o)
	out := bufio.NewWriter(p.asItIs())
	if o.digest {
		for _, digest := range prompts.Digests(eval.Style, items) {
			fmt.Fprintln(out, digest)
		}
		return out.Flush()
	}
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, item := range items {
		line := struct {
			ID     string `json:"id"`
			Prompt string `json:"prompt"`
		}{item.ID, item.Prompt()}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// noteEnd says what a prompt does not show: where a completion ends, and by what it is marked.
func (p *program) noteEnd(style prompts.Style, o renderOptions) {
	if style.BuiltIn && o.stop == nil {
		return
	}
	stop := style.Stop
	if o.stop != nil {
		stop = o.stop
	}
	p.note(fmt.Sprintf("stop strings %q, rule set %s", stop, style.Rules))
}

// renderItem renders the one item that the flags name.
func (p *program) renderItem(set *dataset.Set, o renderOptions) (prompts.Item, error) {
	question, err := set.Find(*o.question)
	if err != nil {
		return prompts.Item{}, err
	}
	eval, err := o.one(set, "render")
	if err != nil {
		return prompts.Item{}, err
	}
	p.noteEnd(eval.Style, o)
	items, err := eval.Items(set, []dataset.Question{question})
	if err != nil {
		return prompts.Item{}, err
	}
	variants := make([]string, len(items))
	for i, item := range items {
		if o.variant == nil || item.Variant == *o.variant {
			return item, nil
		}
		variants[i] = item.Variant
	}
	return prompts.Item{}, fmt.Errorf("question %d has no variant %q in %s; there are %s",
		question.ID, *o.variant, eval.Task, strings.Join(variants, ", "))
}
