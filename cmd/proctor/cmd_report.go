package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends/setting"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
	"proctor/runner/mark/combine"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
	"proctor/runner/report/items"
	"proctor/runner/report/page"
	"proctor/runner/report/table"
)

type reportOptions struct {
	metrics.Options
	format string // of the report or the list
	full   bool   // text and markdown have everything
	out    string
	items  bool
	list   items.Options
	table  tableOptions
}

// Report reports runs.
func Report(p *console.Program) *cli.Command {
	var o reportOptions
	w := console.WordsOf("report", "{meanings}", meanings(), "{lists}", items.Formats.Names(), "{tags}",
		strings.Join(items.TagNames(), ", "))
	return w.Command(&cli.Command{
		Flags: append([]cli.Flag{
			flags.Named(w, &o.format, report.ForOne),
			w.Switch("full", &o.full),
			console.RulesFlag(w, &o.RuleSet),
			w.Confidence(&o.Confidence),
			withoutFlag(w, &o.Without),
			w.Switch("items", &o.items),
			w.Generic("tag", (*flags.Texts)(&o.list.Tags), nil),
			w.Generic("subject", (*flags.Texts)(&o.list.Subjects), nil),
			w.Split("ids", &o.list.IDs),
			w.Switch("with-text", &o.list.Text),
			w.Text("o", &o.out, console.ToFile),
		}, o.table.cliFlags(w)...),
		Before: w.Refusing(),
		Action: func(c *cli.Context) error { return reportRuns(p, c.Args().Slice(), o) },
	})
}

func reportRuns(p *console.Program, args []string, o reportOptions) error {
	if len(args) == 0 {
		return errors.New("report needs a RUN: the folder of a run, or its journal; or the folder of several, to list them")
	}
	var runs [][]string // the runs' tasks
	for _, arg := range args {
		runs = append(runs, journal.Runs(arg)...)
	}
	if o.items {
		return listItems(p, slices.Concat(runs...), o)
	}
	if len(args) == 1 && len(runs) > 1 && !o.table.wanted() {
		if len(o.Without) > 0 {
			return fmt.Errorf("%s is of reports, and this folder's runs are listed: give the runs", setting.Without)
		}
		format, err := page.Chosen(table.ListFormats(p.Width()), table.ListFormats(0), o.format, o.out, o.full)
		if err != nil {
			return err
		}
		return console.Write(p, o.out, format, table.ListOf(slices.Concat(runs...), o.Options,
			linksFrom(filepath.Dir(o.out))))
	}
	formats := report.ForOne
	if len(slices.Concat(runs...)) > 1 || o.table.wanted() {
		formats = report.Formats
	}
	format, err := page.Chosen(formats, report.Full, o.format, o.out, o.full)
	if err != nil {
		return err
	}
	var opened [][]*metrics.Summary
	for _, tasks := range runs {
		var of []*metrics.Summary
		for _, task := range tasks {
			result, err := metrics.Open(task, o.Options)
			if err != nil {
				return err
			}
			of = append(of, result)
		}
		opened = append(opened, of)
	}
	out := p.Buffer(o.out)
	if err := writeReports(out, format, opened, o); err != nil {
		return err
	}
	return p.Deliver(o.out, out.Bytes())
}

// withoutFlag is the flag for questions that a second score leaves out.
func withoutFlag(w *flags.Words, to *[]string) cli.Flag {
	var given flags.Texts
	return w.Generic("without", &given, func(*cli.Context) error {
		if len(given) == 0 {
			given = flags.Texts{""}
		}
		for _, text := range given {
			var ids spec.IDs
			if err := ids.Set(text); err != nil {
				return fmt.Errorf("%s: %w", setting.Without.As(text), err)
			}
			*to = append(*to, ids.Chosen...)
		}
		return nil
	})
}

// writeReports writes one report alone, and several with their table. If a flag chooses the table's content, it writes the table only.
func writeReports(out io.Writer, format report.Format, runs [][]*metrics.Summary, o reportOptions) error {
	all := slices.Concat(runs...)
	if len(all) == 1 && !o.table.wanted() {
		return format.Write(out, all[0])
	}
	t, err := o.table.of(runs, filepath.Dir(o.out), o.full)
	if err != nil {
		return err
	}
	if o.table.wanted() {
		return report.WriteTable(out, format, t)
	}
	return report.WriteSeveral(out, format, all, t)
}

func listItems(p *console.Program, runs []string, o reportOptions) error {
	format, err := items.Formats.Of(o.format, o.out)
	if err != nil {
		return err
	}
	o.list.RuleSet = o.RuleSet
	list, err := items.Open(runs, o.list)
	if err != nil {
		return err
	}
	defer list.Close()
	for _, warning := range list.Warnings() {
		p.Warn(warning)
	}
	return console.Write(p, o.out, format, list)
}

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
