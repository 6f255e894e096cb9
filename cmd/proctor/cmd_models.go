package main

import (
	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/mark/format"
	"proctor/runner/report/page"
)

// Models lists the models that can be named.
func Models(p *console.Program) *cli.Command {
	var layout page.Format[registry.Catalogue]
	w := console.WordsOf("models", "{references}", registry.References())
	return w.Command(&cli.Command{
		Flags: []cli.Flag{flags.Format(w, &layout, page.FormatsOf(cataloguePage))},
		Action: func(c *cli.Context) error {
			found, err := registry.List(c.Context, c.Args().Slice(), console.KeptEngines())
			if err != nil {
				return err
			}
			return layout.Write(p.Stdout, found)
		},
	})
}

// cataloguePage lays out the list of models.
func cataloguePage(found registry.Catalogue) page.Page {
	out := page.Page{Title: "Models that --model can name"}
	builtIn := registry.Place{Title: "Built in", None: found.Embedded + ": the control model"}
	for _, place := range append([]registry.Place{builtIn, found.Files}, found.Servers...) {
		if place.Title != "" {
			out.Add(placeSection(place))
		}
	}
	return out
}

func placeSection(place registry.Place) page.Section {
	section := page.Section{Title: place.Title, Warnings: place.Problems}
	if len(place.Models) == 0 {
		section.Notes = []string{place.None}
		return section
	}
	section.Table = &page.Grid{Head: []string{"model", "architecture", "parameters", "quantization", "size", "engine"}}
	for _, m := range place.Models {
		parameters := m.Scale
		if m.Parameters > 0 {
			parameters = humanize.Comma(m.Parameters)
		}
		section.Table.Add(m.Ref, m.Architecture, parameters, m.Quantization, format.Size(m.SizeBytes, "0 B"), m.OpenedBy)
	}
	return section
}
