package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/runner/ask/form"
	"proctor/runner/ask/spec"
)

type renderOptions struct {
	spec.Spec
	question *int
	variant  *string
	all      bool
	digest   bool
	model    registry.Options
}

// Render prints a question's prompt.
func Render(p *console.Program) *cli.Command {
	o := renderOptions{Spec: spec.Default(), model: console.Showing(p)}
	w := console.WordsOf("render")
	return w.Command(&cli.Command{
		Flags: slices.Concat(w.Fields(&o.Questions), w.Fields(&o.Prompts, "think-budget"), w.Pick(&o.Answers, "stop"), []cli.Flag{
			w.Int("question", new(int), flags.Given(&o.question)),
			w.Text("variant", new(string), flags.Given(&o.variant)),
			w.Switch("all", &o.all),
			w.Switch("digest", &o.digest),
		}, w.Pick(&o.model.Settings, "model", "engine")),
		Before: w.Refusing(),
		Action: flags.Only(func(c *cli.Context) error {
			o.model.Given = c.LocalFlagNames()
			return renderPrompts(c.Context, p, o)
		}),
	})
}

func renderPrompts(ctx context.Context, p *console.Program, o renderOptions) error {
	if o.all == (o.question != nil) {
		return errors.New("render needs either --question ID or --all")
	}
	set, err := console.OpenForRun(p, &o.Questions)
	if err != nil {
		return err
	}
	eval, items, err := o.items(set)
	if err != nil {
		return err
	}
	if style := eval.Style; !style.BuiltIn || o.Stop.Given { // prompts don't depend on stops and marks
		p.Note(fmt.Sprintf("stop strings %q, rule set %s", o.Stop.Or(style.Stop), style.Rules))
	}
	var model registry.Reader
	if o.model.Model != "" {
		wanted, err := form.Of(o.Prompts, registry.BuiltinTemplate)
		if err != nil {
			return err
		}
		if model, err = registry.OpenReader(ctx, o.model, wanted.Prompt != form.Raw); err != nil {
			return err
		}
		defer model.Close()
		wanted.Now = p.Now().UTC()
		dialogue, err := wanted.Dialogue(ctx, model)
		if err == nil && dialogue != nil {
			items, _, err = dialogue.Apply(items)
		}
		if err != nil {
			return err
		}
	}
	out := bufio.NewWriter(p.Prompts())
	if o.digest {
		for _, digest := range prompts.Digests(eval.Style, items) {
			fmt.Fprintln(out, digest)
		}
		return out.Flush()
	}
	if err := writePrompts(out, p, items, model, o.all); err != nil {
		return err
	}
	return out.Flush()
}

// items renders the items that the flags choose: all, or those of one question.
func (o renderOptions) items(set *dataset.Set) (prompts.Eval, []prompts.Item, error) {
	if o.all {
		return o.Questions.Items(set, "render")
	}
	question, err := set.Find(*o.question)
	if err != nil {
		return prompts.Eval{}, nil, err
	}
	eval, err := o.One(set, "render")
	if err != nil {
		return eval, nil, err
	}
	items, err := eval.Items(set, []dataset.Question{question})
	if err != nil {
		return eval, nil, err
	}
	variants := make([]string, len(items))
	for i, item := range items {
		if o.variant == nil || item.Variant == *o.variant {
			return eval, items[i : i+1], nil
		}
		variants[i] = item.Variant
	}
	return eval, nil, fmt.Errorf("question %d has no variant %q in %s; there are %s",
		question.ID, *o.variant, eval.Task, strings.Join(variants, ", "))
}

// writePrompts writes prompts as JSON Lines or as plain text, with their tokens if there is a model. model may be nil.
func writePrompts(out io.Writer, p *console.Program, items []prompts.Item, model registry.Reader, asLines bool) error {
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, item := range items {
		line := struct {
			ID     string  `json:"id"`
			Prompt string  `json:"prompt"`
			Tokens []int32 `json:"tokens,omitempty"`
		}{ID: item.ID, Prompt: item.Prompt()}
		var err error
		if model != nil {
			line.Tokens, err = model.Tokenize(line.Prompt)
		}
		if errors.Is(err, errors.ErrUnsupported) {
			p.Warn(err.Error())
			model, err = nil, nil
		}
		switch {
		case err != nil:
		case asLines:
			err = lines.Encode(line)
		default:
			_, err = fmt.Fprint(out, line.Prompt)
			if len(line.Tokens) > 0 {
				fmt.Fprintf(out, "\n\n%d tokens: %s\n", len(line.Tokens), strings.Trim(fmt.Sprint(line.Tokens), "[]"))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
