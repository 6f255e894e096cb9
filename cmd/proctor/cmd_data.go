package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"proctor/backends/setting"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/dataset/hub"
	"proctor/prompts/task"
	"proctor/runner/ask/spec"
	"proctor/runner/report/page"
)

type dataVerbOptions struct {
	spec.Questions
	name    string
	replace bool
	from    hub.Hub
	json    bool
}

// Data manages question sets.
func Data(p *console.Program) *cli.Command {
	o := dataVerbOptions{Questions: spec.Default().Questions}
	w := console.WordsOf("data")
	importing, pull, check, stats, show := w.Below("import"), w.Below("pull"), w.Below("check"), w.Below("stats"), w.Below("show")
	o.name = dataset.PublishedName
	asJSON := console.SharedWords.Switch("json", &o.json)
	return w.Command(&cli.Command{
		Subcommands: []*cli.Command{
			importing.Command(&cli.Command{
				Flags: append(console.SharedWords.Fields(&o.Data, "data"), importing.Text("name", &o.name),
					importing.Switch("replace", &o.replace)),
				Action: flags.One("data import needs one FILE or FOLDER; of several files, put test.csv and dev.csv into a folder",
					func(_ *cli.Context, ref string) error { return dataImport(p, ref, o) }),
			}),
			pull.Command(&cli.Command{
				Flags: []cli.Flag{pull.Switch("replace", &o.replace), pull.Read("from", func(name string) (err error) {
					if o.from, err = hub.Named(name); err != nil {
						err = fmt.Errorf("--from: %w", err)
					}
					return err
				})},
				Action: flags.Only(func(c *cli.Context) error { return dataPull(c.Context, p, o) }),
			}),
			w.Below("list").Command(&cli.Command{Action: flags.Only(func(*cli.Context) error { return dataList(p) })}),
			check.Command(&cli.Command{
				Flags: append(console.SharedWords.Fields(&o.Data), asJSON),
				Action: func(c *cli.Context) error {
					if err := flags.OneAs("data", c); err != nil {
						return err
					}
					return dataCheck(p, o)
				},
			}),
			stats.Command(&cli.Command{
				Flags:  append(console.SharedWords.Fields(&o.Questions), asJSON),
				Before: stats.Refusing(),
				Action: flags.Only(func(*cli.Context) error { return dataStats(p, o) }),
			}),
			show.Command(&cli.Command{
				Flags:  append(console.SharedWords.Fields(&o.Data), asJSON),
				Action: func(c *cli.Context) error { return dataShow(p, c.Args().Slice(), o) },
			}),
		},
	})
}

func dataImport(p *console.Program, ref string, o dataVerbOptions) error {
	manifest, err := dataset.Import(o.name, ref, dataset.ImportOptions{Options: o.Options(), Replace: o.replace})
	if err != nil {
		return err
	}
	return imported(p, manifest)
}

// imported shows a set that was just imported: how its files are read.
func imported(p *console.Program, set dataset.Manifest) error {
	console.NoteReading(p, set.Splits)
	return listSets(p, []dataset.Manifest{set})
}

func dataPull(ctx context.Context, p *console.Program, o dataVerbOptions) error {
	manifest, err := hub.Pull(ctx, hub.MMLUPro, hub.Options{Hub: o.from, Replace: o.replace, Progress: p.Downloading()})
	if unreached := net.Error(nil); errors.As(err, &unreached) {
		return fmt.Errorf("%w; without a network, fetch the files elsewhere: `proctor run %s` and `proctor data import FOLDER` "+
			"take a folder of them", err, setting.Data.As("FOLDER"))
	}
	if err != nil {
		return err
	}
	return imported(p, manifest)
}

func dataList(p *console.Program) error {
	sets, err := dataset.List("")
	if err != nil {
		return err
	}
	if len(sets) == 0 {
		fmt.Fprintln(p.Stdout, "no sets are imported: `proctor data import FILE` and `proctor data pull` do that; the bundled sample is there without")
		return nil
	}
	return listSets(p, sets)
}

func listSets(p *console.Program, sets []dataset.Manifest) error {
	out := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "name\ttest\tvalidation\tsha256\tsource")
	for _, set := range sets {
		rows := map[string]int{}
		for _, split := range set.Splits {
			rows[split.Name] = split.Rows
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%.12s…\t%s\n", set.Name,
			humanize.Comma(int64(rows[dataset.TestSplit])), humanize.Comma(int64(rows[dataset.ValidationSplit])), set.SHA256, set.Source)
	}
	return out.Flush()
}

func dataCheck(p *console.Program, o dataVerbOptions) error {
	set, err := dataset.Open(o.Data.Ref, o.Options())
	if bad, ok := errors.AsType[*dataset.BadRowsError](err); ok {
		if o.json {
			return errors.Join(page.JSON(p.Stdout, map[string][]dataset.BadRow{"bad_rows": bad.Rows}), err)
		}
		for _, row := range bad.Rows {
			fmt.Fprintln(p.Stdout, row)
		}
	}
	if err != nil {
		return err
	}
	eval := prompts.Eval{Task: task.All[0], Style: prompts.Styles[0]}
	items, err := eval.Items(set, set.Test[:1])
	if err != nil {
		return err
	}
	checked := struct {
		dataset.Audit
		Example example `json:"example"`
	}{set.Audit(), example{items[0].QuestionID, eval.Style.Name, items[0].Prompt(), items[0].Gold}}
	if o.json {
		return page.JSON(p.Stdout, checked)
	}
	if err := checked.WriteText(p.Stdout); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "\nquestion %d as it is asked (style %s, 0 shots); gold %s:\n\n%s\n",
		checked.Example.ID, checked.Example.Style, checked.Example.Gold, checked.Example.Prompt)
	return err
}

// example is a question and its prompt.
type example struct {
	ID     int    `json:"question_id"`
	Style  string `json:"style"`
	Prompt string `json:"prompt"`
	Gold   string `json:"gold"`
}

func dataStats(p *console.Program, o dataVerbOptions) error {
	set, err := console.OpenForRun(p, &o.Questions)
	if err != nil {
		return err
	}
	_, items, err := o.Items(set, "stats")
	if err != nil {
		return err
	}
	lengths := prompts.Stats(items)
	lengths = append(lengths, prompts.Overall(lengths))
	if o.json {
		return page.JSON(p.Stdout, lengths)
	}
	out := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "subject\tcount\tmean\tmin\tmax\t")
	for _, l := range lengths {
		fmt.Fprintf(out, "%s\t%d\t%.2f\t%d\t%d\t\n", l.Subject, l.Count, l.Mean, l.Min, l.Max)
	}
	return out.Flush()
}

func dataShow(p *console.Program, args []string, o dataVerbOptions) error {
	id, err := strconv.Atoi(strings.Join(args, " "))
	if err != nil {
		return errors.New("show needs one ID, a question's number")
	}
	set, err := console.OpenSet(p, o.Data)
	if err != nil {
		return err
	}
	question, err := set.Find(id)
	if err != nil {
		return err
	}
	if o.json {
		return page.JSON(p.Stdout, question)
	}
	fmt.Fprintf(p.Stdout, "question %d · %s · row %d · %s\n\n%s\n\n",
		question.ID, question.Subject, question.Row, question.Src, question.Text)
	for i, option := range question.Options {
		mark := " "
		if i == question.Gold() {
			mark = "*"
		}
		fmt.Fprintf(p.Stdout, "%s %s. %s\n", mark, dataset.Letter(i), option)
	}
	if strings.TrimSpace(question.CoT) != "" {
		fmt.Fprintf(p.Stdout, "\n%s\n", question.CoT)
	}
	return nil
}
