package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/mark/format"
	"proctor/runner/report/page"
)

type inspectOptions struct {
	json     bool
	template bool // print only the chat template
	model    registry.Options
}

// Inspect shows a model's properties.
func Inspect(p *console.Program) *cli.Command {
	o := inspectOptions{model: console.Showing(p)}
	w := console.WordsOf("inspect")
	return w.Command(&cli.Command{
		Flags: []cli.Flag{
			w.Switch("json", &o.json), w.Switch("template", &o.template), w.Text("engine", &o.model.Engine),
		},
		Before: w.RefusingAlone(),
		Action: flags.One("inspect needs one MODEL: "+registry.Forms(), func(c *cli.Context, model string) error {
			o.model.Model = model
			return inspectModel(c.Context, p, o)
		}),
	})
}

func inspectModel(ctx context.Context, p *console.Program, o inspectOptions) error {
	file, err := registry.Header(o.model.Model)
	if err != nil {
		return err
	}
	if o.template {
		if file.ChatTemplate() == "" {
			return fmt.Errorf("%s has no chat template", o.model.Model)
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
	if o.json {
		err = page.JSON(p.Stdout, found)
	} else {
		err = writeInspection(p.Stdout, found)
	}
	if err != nil {
		return err
	}
	return file.Cut
}

func writeInspection(w io.Writer, i registry.Inspection) error {
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
	return out.Flush()
}
