package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp"
)

func (p program) inspect() *cli.Command {
	return &cli.Command{
		Name:      "inspect",
		Usage:     "tell what a model is, from its file alone",
		ArgsUsage: "MODEL",
		Description: "MODEL is the path of a GGUF file, ollama:NAME of one in Ollama's local store, or embedded.\n\n" +
			"   proctor inspect model-Q4_K_M.gguf\n" +
			"   proctor inspect ollama:llama3.2:3b\n" +
			"   proctor inspect embedded --template     its chat template",
		Flags: []cli.Flag{
			jsonFlag(),
			&cli.BoolFlag{Name: "template", Usage: "print the chat template and nothing else"},
		},
		Action: p.inspectAction,
	}
}

// inspection is what a model's file says of itself.
type inspection struct {
	backends.ModelInfo
	Types        []gguf.TypeCount  `json:"tensor_types"`
	ChatTemplate bool              `json:"chat_template"`
	About        map[string]string `json:"about,omitempty"` // the model card
}

func (p program) inspectAction(c *cli.Context) error {
	if c.NArg() != 1 {
		return errors.New("inspect needs one MODEL: the path of a GGUF file, ollama:NAME, or embedded")
	}
	ref := c.Args().First()
	path, err := modelFile(ref)
	if err != nil {
		return err
	}
	file, err := gguf.Open(path)
	if err != nil {
		return err
	}
	if c.Bool("template") {
		if file.ChatTemplate() == "" {
			return fmt.Errorf("%s has no chat template", ref)
		}
		fmt.Fprintln(p.stdout, strings.TrimSuffix(file.ChatTemplate(), "\n"))
		return nil
	}
	info, err := llamacpp.Describe(c.Context, file, ref)
	if err != nil {
		return err
	}
	found := inspection{ModelInfo: info, Types: file.Types(), ChatTemplate: file.ChatTemplate() != "", About: card(file)}
	if c.Bool("json") {
		return p.printJSON(found)
	}
	return found.write(p.stdout)
}

// card reads the keys of a GGUF file that describe it to people.
func card(file *gguf.File) map[string]string {
	about := map[string]string{}
	for _, key := range []string{"author", "license", "description", "url"} {
		if text := file.Text("general." + key); text != "" {
			about[key] = text
		}
	}
	return about
}

func (i inspection) write(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	row("model", "%s", i.Name)
	row("architecture", "%s", i.Architecture)
	row("parameters", "%s", humanize.Comma(i.Parameters))
	row("quantization", "%s", i.Quantization)
	row("bits per weight", "%.2f", i.BitsPerWeight)
	row("size of tensors", "%s", size(i.SizeBytes))
	for _, t := range i.Types {
		row("  "+t.Type.String(), "%d tensors, %s", t.Tensors, size(t.Bytes))
	}
	row("context length", "%d tokens", i.ContextLength)
	if i.ChatTemplate {
		row("chat template", "sha256 %s", i.ChatTemplateSHA256)
	} else {
		row("chat template", "none")
	}
	row("sha256", "%s", i.FileSHA256)
	for _, key := range []string{"author", "license", "description", "url"} {
		if text := i.About[key]; text != "" {
			row(key, "%s", text)
		}
	}
	return out.Flush()
}
