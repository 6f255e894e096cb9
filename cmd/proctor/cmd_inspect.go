package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"proctor/backends/parity"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/mark/format"
	"proctor/runner/report/page"
)

type inspectOptions struct {
	json     bool
	template bool   // print only the chat template
	others   string // file of prompts with another tokenizer's tokens; empty for none
	model    registry.Options
}

// An inspection is all that is shown of a model.
type inspection struct {
	registry.Inspection
	Tokens *parity.Result `json:"tokens,omitempty"` // compared with another tokenizer
}

// Inspect shows a model's properties.
func Inspect(p *console.Program) *cli.Command {
	o := inspectOptions{model: console.Showing(p)}
	w := console.WordsOf("inspect")
	return w.Command(&cli.Command{
		Flags: []cli.Flag{
			w.Switch("json", &o.json), w.Switch("template", &o.template), w.Text("tokenizer", &o.others), w.Text("engine", &o.model.Engine),
		},
		Before: w.RefusingAlone(),
		Action: flags.One("inspect needs one MODEL: "+registry.Forms(), func(c *cli.Context, model string) error {
			o.model.Ref = model
			return inspectModel(c.Context, p, o)
		}),
	})
}

func inspectModel(ctx context.Context, p *console.Program, o inspectOptions) error {
	file, err := registry.Header(o.model.Ref)
	if err != nil {
		return err
	}
	if o.template {
		if file.ChatTemplate() == "" {
			return fmt.Errorf("%s has no chat template", o.model.Ref)
		}
		fmt.Fprintln(p.Stdout, strings.TrimSuffix(file.ChatTemplate(), "\n"))
		return nil
	}
	found, err := registry.Inspect(ctx, file, o.model)
	switch {
	case err != nil:
		return err
	case o.model.Engine != "" && found.NotOpened != "":
		return errors.New(found.NotOpened)
	}
	shown := inspection{Inspection: found}
	if o.others != "" {
		if shown.Tokens, err = o.compareTokens(ctx); err != nil {
			return fmt.Errorf("--tokenizer %s: %w", o.others, err)
		}
	}
	if o.json {
		err = page.JSON(p.Stdout, shown)
	} else {
		err = o.write(p.Stdout, shown)
	}
	if err == nil && shown.Tokens != nil && !shown.Tokens.Same() {
		err = fmt.Errorf("%w: %s does not split prompts as in %s", console.ErrGate, o.model.Ref, o.others)
	}
	return cmp.Or(err, file.Cut)
}

// compareTokens compares the model's tokens with those of another tokenizer.
func (o inspectOptions) compareTokens(ctx context.Context) (*parity.Result, error) {
	others, err := os.Open(o.others)
	if err != nil {
		return nil, err
	}
	defer others.Close()
	model, err := registry.OpenVocabulary(ctx, o.model)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	result, err := parity.Compare(others, model)
	if errors.Is(err, parity.ErrNotTokens) {
		err = fmt.Errorf("%w: `proctor render --all --model FILE.gguf` writes such lines, and of a tokenizer.json the script in docs/quants.md", err)
	}
	return &result, err
}

func (o inspectOptions) write(w io.Writer, i inspection) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) { // omits empty values
		if text := fmt.Sprintf(format, args...); text != "" {
			fmt.Fprintf(out, "%s\t%s\n", name, text)
		}
	}
	row("model", "%s", i.Name)
	row("architecture", "%s", i.Architecture)
	row("parameters", "%s", humanize.Comma(i.Parameters))
	row("quantization", "%s", i.Quantization)
	row("bits per weight", "%.2f", i.BitsPerWeight)
	row("size of tensors", "%s", format.Size(i.SizeBytes, "0 B"))
	for _, t := range i.TensorTypes {
		row("  "+t.Type, "%d tensors, %s", t.Tensors, format.Size(t.Bytes, "0 B"))
	}
	row("fell back", "%s", i.FellBack)
	row("context length", "%d tokens", i.ContextLength)
	if i.ChatTemplate {
		row("chat template", "sha256 %s", i.ChatTemplateSHA256)
	} else {
		row("chat template", "none")
	}
	row("engine", "%s", cmp.Or(i.OpenedBy, "none: "+i.NotOpened))
	for _, problem := range i.Problems {
		row("problem", "%s", problem)
	}
	row("sha256", "%s", i.FileSHA256)
	for _, key := range registry.Card {
		row(key, "%s", i.About[key])
	}
	if i.Tokens != nil {
		o.writeTokens(row, *i.Tokens)
	}
	return out.Flush()
}

// writeTokens shows how many prompts have different tokens, and the first difference.
func (o inspectOptions) writeTokens(row func(name, format string, args ...any), r parity.Result) {
	all := format.Several(r.Prompts, "prompt")
	around := fmt.Sprintf("one token before or behind the text, such as BOS, is on one side alone in %s of %s", format.Count(r.Around), all)
	switch {
	case r.Same():
		row("tokens", "as in %s, of all %s", o.others, all)
		return
	case r.Differ == 0:
		row("tokens", "as in %s, but for the ends: %s", o.others, around)
	default:
		row("tokens", "other than in %s, of %s of %s", o.others, format.Count(r.Differ), all)
	}
	if r.Differ > 0 && r.Around > 0 {
		row("", "%s", around)
	}
	listed := func(tokens []parity.Token) string {
		return cmp.Or(format.List(tokens, func(t parity.Token) string {
			if t.Piece == "" {
				return fmt.Sprint(t.ID)
			}
			return fmt.Sprintf("%d %q", t.ID, t.Piece)
		}), "none")
	}
	row("  first", "%s, behind %s: %q", r.First.ID, format.Several(r.First.At, "token"), r.First.Behind)
	row("  model", "%s", listed(r.First.Model))
	row("  "+filepath.Base(o.others), "%s", listed(r.First.Other))
}
