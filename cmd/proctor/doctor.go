package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"proctor/backends/open"
	"proctor/prompts/dataset"
)

func (p program) doctor() *cli.Command {
	return &cli.Command{
		Name:        "doctor",
		Usage:       "tell what this machine offers: CPU features, memory, Ollama, datasets",
		Description: "   proctor doctor",
		Action:      flagsOnly(func(c *cli.Context) error { return p.diagnose(c.Context) }),
	}
}

func (p program) diagnose(ctx context.Context) error {
	out := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	lines, warning, err := open.Machine(ctx)
	if err != nil {
		return err
	}
	row("proctor", "%s", version)
	for _, line := range lines {
		row(line.Name, "%s", line.Text)
	}
	if err := datasets(row); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if warning != "" {
		p.warn(warning)
	}
	return nil
}

// datasets lists what --data can name.
func datasets(row func(name, format string, args ...any)) error {
	folder, err := dataset.Folder()
	if err != nil {
		return err
	}
	row("data folder", "%s", folder)
	sets, err := dataset.List(folder)
	if err != nil {
		return err
	}
	names := []string{dataset.SampleName}
	for _, set := range sets {
		names = append(names, set.Name)
	}
	row("datasets", "%s", strings.Join(names, ", "))
	return nil
}
