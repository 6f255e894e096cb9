package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/dataset/hub"
	"proctor/prompts/task"
	"proctor/runner/report/page"
)

type dataVerbOptions struct {
	evalOptions
	name    string
	replace bool
	json    bool
}

func (p *program) data() *cli.Command {
	var o dataVerbOptions
	replaceFlag := &cli.BoolFlag{Name: "replace", Destination: &o.replace, Usage: "replace a different set of that name"}
	return &cli.Command{
		Name:  "data",
		Usage: "import, download, list and check question sets",
		Description: "   proctor data pull                          MMLU-Pro, from the Hugging Face repository\n" +
			"   proctor data import --name mine FOLDER     a set of your own\n" +
			"   proctor data import --name exam --map question=prompt,options=A+B+C+D,answer=key exam.csv\n" +
			"   proctor data check --data exam             what was made of the file, and what is doubtful\n\n" +
			"Sets live in $PROCTOR_DATA, else in proctor in the XDG data folder.\n\n" +
			"Files are parquet, JSON Lines, a JSON array or CSV. The columns of MMLU-Pro, MMLU, ARC and GPQA are recognised, and a\n" +
			"question with its options in columns A, B and so on; for others --map says what each holds, with commas between:\n\n" +
			indented(dataset.MappingKeys) + "\n\n" +
			"A dot leads into nested columns, as in choices.text. A name with a comma, a plus, a quote or a # in it goes in double\n" +
			"quotes. --map @FILE reads it from a file, with one or several on a line. What is left out is recognised where it can be:\n" +
			"--map answer-is=index1. A question has 2 to 26 options. In a folder the questions are in test.…, those for shots in\n" +
			"dev.…, validation.… or val.…, or in --shots-file; without subjects they serve all subjects.",
		Subcommands: []*cli.Command{
			{
				Name: "import", Usage: "copy a folder or files into the data folder", ArgsUsage: "FILE…",
				Flags: append(fileFlags(&o.data.Options),
					&cli.StringFlag{
						Name: "name", Value: dataset.PublishedName, Destination: &o.name,
						Usage: "`NAME` of the set for --data (default: " + dataset.PublishedName + ")",
					},
					replaceFlag,
				),
				Action: func(c *cli.Context) error { return p.dataImport(c.Args().Slice(), o) },
			},
			{
				Name: "pull", Usage: "download MMLU-Pro into the data folder, with checksums",
				Flags:  []cli.Flag{replaceFlag},
				Action: flags.Only(func(c *cli.Context) error { return p.dataPull(c.Context, o.replace) }),
			},
			{Name: "list", Usage: "list the imported sets", Action: flags.Only(func(*cli.Context) error { return p.dataList() })},
			{
				Name: "check", Usage: "check a set for problems",
				Flags:  append(dataFlags(&o.data), flags.JSON(&o.json)),
				Action: flags.Only(func(*cli.Context) error { return p.dataCheck(o) }),
			},
			{
				Name: "stats", Usage: "show prompt lengths by subject, in characters",
				Flags:  append(evalFlags(&o.evalOptions), flags.JSON(&o.json)),
				Before: flags.Refusing(firstOfHowMany),
				Action: flags.Only(func(*cli.Context) error { return p.dataStats(o) }),
			},
			{
				Name: "show", Usage: "print a question", ArgsUsage: "ID",
				Flags:  append(dataFlags(&o.data), flags.JSON(&o.json)),
				Action: func(c *cli.Context) error { return p.dataShow(c.Args().Slice(), o) },
			},
		},
	}
}

func (p *program) dataImport(files []string, o dataVerbOptions) error {
	manifest, err := dataset.Import(o.name, files, dataset.ImportOptions{Options: o.data.Options, Replace: o.replace})
	if err != nil {
		return err
	}
	return p.imported(manifest)
}

// imported shows a set that has just been imported, how its files are read, and what is known to be wrong with it.
func (p *program) imported(set dataset.Manifest) error {
	p.noteReading(set.Splits)
	for _, c := range set.Contradictions {
		p.note("proctor: " + c.String() + " disagree: answer decides")
	}
	return p.listSets([]dataset.Manifest{set})
}

func (p *program) dataPull(ctx context.Context, replace bool) error {
	manifest, err := hub.Pull(ctx, hub.MMLUPro, hub.Options{Replace: replace, Progress: p.downloading()})
	if err != nil {
		return err
	}
	return p.imported(manifest)
}

// downloading shows how much has come, and why something has to be tried again.
func (p *program) downloading() func(hub.Progress) {
	draw := p.draw()
	return func(now hub.Progress) {
		if now.Note != "" {
			p.warn(now.Note)
		}
		if p.terminal {
			draw(fmt.Sprintf("%s %s of %s", now.File, size(now.Done), size(now.Total)))
		}
		if p.terminal && now.Done == now.Total {
			fmt.Fprintln(p.stderr)
		}
	}
}

func (p *program) dataList() error {
	sets, err := dataset.List("")
	if err != nil {
		return err
	}
	return p.listSets(sets)
}

func (p *program) listSets(sets []dataset.Manifest) error {
	out := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
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

func (p *program) dataCheck(o dataVerbOptions) error {
	o.data.SkipBadRows = true
	set, err := dataset.Open(o.data.ref, o.data.Options)
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
	}{dataset.Check(set), example{items[0].QuestionID, eval.Style.Name, items[0].Prompt(), items[0].Gold}}
	if o.json {
		return page.JSON(p.stdout, checked)
	}
	if err := checked.WriteText(p.stdout); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "\nquestion %d as it is asked (style %s, 0 shots); gold %s:\n\n%s\n",
		checked.Example.ID, checked.Example.Style, checked.Example.Gold, checked.Example.Prompt)
	return err
}

// example is a question as it is asked.
type example struct {
	ID     int    `json:"question_id"`
	Style  string `json:"style"`
	Prompt string `json:"prompt"`
	Gold   string `json:"gold"`
}

func (p *program) dataStats(o dataVerbOptions) error {
	set, err := p.openAsked(&o.evalOptions)
	if err != nil {
		return err
	}
	_, items, err := o.items(set, "stats")
	if err != nil {
		return err
	}
	lengths := prompts.Stats(items)
	lengths = append(lengths, prompts.Overall(lengths))
	if o.json {
		return page.JSON(p.stdout, lengths)
	}
	out := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "subject\tcount\tmean\tmin\tmax\t")
	for _, l := range lengths {
		fmt.Fprintf(out, "%s\t%d\t%.2f\t%d\t%d\t\n", l.Subject, l.Count, l.Mean, l.Min, l.Max)
	}
	return out.Flush()
}

func (p *program) dataShow(args []string, o dataVerbOptions) error {
	id, err := strconv.Atoi(strings.Join(args, " "))
	if err != nil {
		return errors.New("show needs one ID, a question's number")
	}
	set, err := p.openSet(o.data)
	if err != nil {
		return err
	}
	question, err := set.Find(id)
	if err != nil {
		return err
	}
	if o.json {
		return page.JSON(p.stdout, question)
	}
	fmt.Fprintf(p.stdout, "question %d · %s · row %d · %s\n\n%s\n\n",
		question.ID, question.Subject, question.Row, question.Src, question.Text)
	for i, option := range question.Options {
		mark := " "
		if i == question.Gold() {
			mark = "*"
		}
		fmt.Fprintf(p.stdout, "%s %s. %s\n", mark, dataset.Letter(i), option)
	}
	if strings.TrimSpace(question.CoT) != "" {
		fmt.Fprintf(p.stdout, "\n%s\n", question.CoT)
	}
	return nil
}

// indented sets lines off in a help text.
func indented(lines string) string { return "   " + strings.ReplaceAll(lines, "\n", "\n   ") }
