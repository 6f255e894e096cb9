package main

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
	"proctor/runner/mark/combine"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
	"proctor/runner/report/table"
)

// tableOptions are those of the table that sets runs side by side. The zero value is the default.
type tableOptions struct {
	groups  flags.Texts
	mean    string
	metrics []string
}

func (o *tableOptions) cliFlags(w *flags.Words) []cli.Flag {
	return []cli.Flag{
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

// wanted says whether something is asked of the table that no report has.
func (o *tableOptions) wanted() bool {
	return len(o.groups) > 0 || len(o.metrics) > 0 || cmp.Or(o.mean, combine.Means[0]) != combine.Means[0]
}

// of is the table of runs, each with its tasks, that is to lie in a folder. It is full where something is asked of it.
func (o *tableOptions) of(runs [][]*metrics.Summary, folder string, full bool) (*table.Table, error) {
	options := table.Options{Metrics: o.metrics, Mean: o.mean, Link: linksFrom(folder), Full: full || o.wanted()}
	for _, text := range o.groups {
		group, err := combine.ParseGroup(text)
		if err != nil {
			return nil, fmt.Errorf("--group %w", err)
		}
		options.Groups = append(options.Groups, group)
	}
	return table.Of(runs, options)
}

// linksFrom leads from a folder to the reports that lie below it.
func linksFrom(folder string) func(run string) string {
	return func(run string) string {
		path := report.Path(run, ".html")
		below, err := filepath.Rel(folder, path)
		if _, none := os.Stat(path); err != nil || none != nil || !filepath.IsLocal(below) {
			return ""
		}
		return (&url.URL{Path: filepath.ToSlash(below)}).EscapedPath()
	}
}
