package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/mark/combine"
	"proctor/runner/report/page"
	"proctor/runner/report/table"
)

// tableOptions are those of compare --table alone.
type tableOptions struct {
	wanted  bool
	groups  flags.Texts
	mean    string
	metrics []string
}

func (o *tableOptions) cliFlags(w *flags.Words) []cli.Flag {
	return []cli.Flag{
		w.Switch("table", &o.wanted),
		w.Read("metrics", func(list string) error {
			for name := range strings.SplitSeq(list, ",") {
				o.metrics = append(o.metrics, strings.TrimSpace(name))
			}
			return nil
		}),
		w.Generic("group", &o.groups, nil),
		w.Choice("mean", combine.Means, func(mean string) { o.mean = mean }),
	}
}

func tableOfRuns(p *console.Program, runs []string, o compareOptions) error {
	if len(runs) == 0 {
		return errors.New("compare --table needs a RUN or more: folders of runs, or their journals")
	}
	format, err := page.Chosen(table.Formats, table.Full, o.format, o.out, o.full)
	if err != nil {
		return err
	}
	wanted := table.Options{RuleSet: o.RuleSet, Confidence: o.Confidence, Metrics: o.table.metrics, Mean: o.table.mean}
	for _, text := range o.table.groups {
		group, err := combine.ParseGroup(text)
		if err != nil {
			return fmt.Errorf("--group %w", err)
		}
		wanted.Groups = append(wanted.Groups, group)
	}
	t, err := table.Open(runs, wanted)
	if err != nil {
		return err
	}
	if err := p.Plot(o.plots, table.Figures(t)); err != nil {
		return err
	}
	return console.Write(p, o.out, format, t)
}
