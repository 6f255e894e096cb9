package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
	"proctor/runner/mark/combine"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
	"proctor/runner/report/table"
)

// tableOptions are the flags for the table of runs. The zero value is the default.
type tableOptions struct {
	groups flags.Texts
}

func (o *tableOptions) cliFlags(w *flags.Words) []cli.Flag {
	return []cli.Flag{w.Generic("group", &o.groups, nil)}
}

// wanted says whether a flag chooses the table's content, which no report has.
func (o *tableOptions) wanted() bool {
	return len(o.groups) > 0
}

// of makes the table of runs, each with its tasks, for a folder. If a flag chooses its content it is full.
func (o *tableOptions) of(runs [][]*metrics.Summary, folder string, full bool) (*table.Table, error) {
	options := table.Options{Link: linksFrom(folder), Full: full || o.wanted()}
	for _, text := range o.groups {
		group, err := combine.ParseGroup(text)
		if err != nil {
			return nil, fmt.Errorf("--group %w", err)
		}
		options.Groups = append(options.Groups, group)
	}
	return table.Of(runs, options)
}

// linksFrom makes links from a folder to the reports below it.
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
