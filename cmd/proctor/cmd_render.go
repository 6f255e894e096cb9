package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/dataset"
	"proctor/runner/ask/form"
)

type renderOptions struct {
	console.Eval
	form     form.Form
	question *int
	variant  *string
	all      bool
	digest   bool
	stop     []string
	model    registry.Options
}

// Render prints a question's prompt.
func Render(p *console.Program) *cli.Command {
	o := renderOptions{model: console.Showing(p)}
	w := console.WordsOf("render")
	return w.Command(&cli.Command{
		Flags: slices.Concat(console.EvalFlags(&o.Eval), console.PromptFlags(&o.form), []cli.Flag{
			w.Int("question", new(int), flags.Given(&o.question)),
			w.Text("variant", new(string), flags.Given(&o.variant)),
			w.Switch("all", &o.all),
			w.Switch("digest", &o.digest),
			w.Text("model", &o.model.Ref),
			w.Generic("stop", (*flags.Texts)(&o.stop), nil),
		}),
		Before: w.Refusing(),
		Action: flags.Only(func(c *cli.Context) error {
			o.model.Given = c.LocalFlagNames()
			return renderPrompts(c.Context, p, o)
		}),
	})
}

// Templates renders chat templates for a parent.
func Templates() *cli.Command {
	return &cli.Command{
		Name: console.TemplateCommand, Hidden: true,
		Action: flags.Only(func(*cli.Context) error { return chat.Serve(os.Stdin, os.Stdout) }),
	}
}

func renderPrompts(ctx context.Context, p *console.Program, o renderOptions) error {
	if o.all == (o.question != nil) {
		return errors.New("render needs either --question ID or --all")
	}
	set, err := console.OpenAsked(p, &o.Eval)
	if err != nil {
		return err
	}
	if o.all {
		return renderAll(p, set, o)
	}
	item, err := renderItem(p, set, o)
	if err != nil {
		return err
	}
	if o.model.Ref != "" {
		return renderFor(ctx, p, item, o)
	}
	_, err = fmt.Fprint(p.Prompts(), item.Prompt())
	return err
}

// renderFor prints an item's prompt as a model gets it, and its tokens.
func renderFor(ctx context.Context, p *console.Program, item prompts.Item, o renderOptions) error {
	model, err := registry.Reading(ctx, o.model, o.form.Mode != form.Raw)
	if err != nil {
		return err
	}
	defer model.Close()
	o.form.Now = p.Now().UTC()
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
		fmt.Fprintln(p.Prompts(), item.Prompt())
		p.Warn(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Prompts(), "%s\n\n%d tokens: %s\n", item.Prompt(), len(ids), strings.Trim(fmt.Sprint(ids), "[]"))
	return nil
}

func renderAll(p *console.Program, set *dataset.Set, o renderOptions) error {
	eval, items, err := o.Items(set, "render")
	if err != nil {
		return err
	}
	noteEnd(p, eval.Style, o)
	out := bufio.NewWriter(p.Prompts())
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
func noteEnd(p *console.Program, style prompts.Style, o renderOptions) {
	if style.BuiltIn && o.stop == nil {
		return
	}
	stop := style.Stop
	if o.stop != nil {
		stop = o.stop
	}
	p.Note(fmt.Sprintf("stop strings %q, rule set %s", stop, style.Rules))
}

// renderItem renders the one item that the flags name.
func renderItem(p *console.Program, set *dataset.Set, o renderOptions) (prompts.Item, error) {
	question, err := set.Find(*o.question)
	if err != nil {
		return prompts.Item{}, err
	}
	eval, err := o.One(set, "render")
	if err != nil {
		return prompts.Item{}, err
	}
	noteEnd(p, eval.Style, o)
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
