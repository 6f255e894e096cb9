package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"

	"proctor/backends/engines"
	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts/dataset/hub"
	"proctor/runner/report/page"
)

type engineOptions struct {
	gpu    string
	format page.Format[[]engines.Engine]
}

// Engine lists and downloads builds of llama.cpp.
func Engine(p *console.Program) *cli.Command {
	var o engineOptions
	w := console.WordsOf("engine", "{kinds}", english.OxfordWordSeries(engines.GPUs, "or"), "{mirror}", engines.PublisherVariable)
	list, pull := w.Below("list"), w.Below("pull")
	return w.Command(&cli.Command{
		Subcommands: []*cli.Command{
			list.Command(&cli.Command{
				Flags: []cli.Flag{flags.Format(list, &o.format, page.FormatsOf(enginesPage))},
				Action: flags.Only(func(c *cli.Context) error {
					found, err := console.KeptEngines().List(c.Context, nil)
					if err != nil {
						return err
					}
					return o.format.Write(p.Stdout, found)
				}),
			}),
			pull.Command(&cli.Command{
				Flags:  []cli.Flag{pull.Text("gpu", &o.gpu)},
				Action: func(c *cli.Context) error { return pullEngine(c.Context, p, c.Args().Slice(), o) },
			}),
		},
	})
}

func enginesPage(all []engines.Engine) page.Page {
	out := page.Page{Title: "Engines that --engine can name"}
	section := page.Section{Table: &page.Grid{Head: []string{"name", "release", "backends", "GPUs", "kernels", "folder"}}}
	for _, e := range all {
		if e.Problem != "" {
			section.Warnings = append(section.Warnings, e.Problem)
			continue
		}
		section.Table.Add(e.Name, e.Release, strings.Join(e.Backends, ", "), strings.Join(e.GPUs, ", "), e.KernelsInWords(), e.Folder)
	}
	if len(all) == 0 {
		section.Table, section.Notes = nil, []string{"none but builtin, " + registry.InProcess().Version}
	}
	out.Add(section)
	return out
}

func pullEngine(ctx context.Context, p *console.Program, args []string, o engineOptions) error {
	if len(args) > 1 {
		return errors.New("pull takes one VERSION, such as b10361, or none for the latest")
	}
	if o.gpu != "" && !slices.Contains(engines.GPUs, o.gpu) {
		return fmt.Errorf("--gpu %s: give %s", o.gpu, english.OxfordWordSeries(engines.GPUs, "or"))
	}
	kept, err := console.KeptEngines().Pull(ctx, strings.Join(args, ""), o.gpu,
		func(ctx context.Context, address, name string, size int64, sha256, to string) error {
			return hub.Fetch(ctx, address, hub.File{Path: name, Size: size, SHA256: sha256}, to, hub.Options{Progress: p.Downloading()})
		})
	if err != nil {
		return err
	}
	return enginesPage([]engines.Engine{kept}).Text(p.Stdout)
}
