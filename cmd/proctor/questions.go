package main

import (
	"fmt"

	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"

	"proctor/prompts/dataset"
)

// dataOptions say where questions are from.
type dataOptions struct {
	ref string
	dataset.Options
}

// dataFlags say where questions are from, and how their files are read.
func dataFlags(to *dataOptions) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{
			Name: "data", Destination: &to.ref, Category: "QUESTIONS",
			Usage: "questions `REF`: file, folder, imported set or sample (default: mmlu-pro if imported, else sample)",
		},
	}, fileFlags(&to.Options)...)
}

// fileFlags say how the files of a set are read.
func fileFlags(to *dataset.Options) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: "map", Category: "QUESTIONS", DefaultText: "what is recognised",
			Usage: "`MAP` columns, as in question=prompt,options=A+B+C+D,answer=key, or @FILE; see data --help",
			Action: func(_ *cli.Context, text string) (err error) {
				to.Map, err = dataset.ReadMapping(text)
				return err
			},
		},
		&cli.StringFlag{
			Name: "shots-file", Destination: &to.ShotsFile, Category: "QUESTIONS", DefaultText: "the set's validation file",
			Usage: "take the worked examples from `FILE`",
		},
		&cli.BoolFlag{
			Name: "skip-bad-rows", Destination: &to.SkipBadRows, Category: "QUESTIONS",
			Usage: "skip rows that are no valid questions",
		},
	}
}

// openSet opens --data, and says how a file was read that does not have MMLU-Pro's columns.
func (p *program) openSet(o dataOptions) (*dataset.Set, error) {
	set, err := dataset.Open(o.ref, o.Options)
	if err != nil {
		return nil, err
	}
	if !set.Imported || o.ShotsFile != "" {
		p.noteReading(set.Splits)
	}
	return set, nil
}

func (p *program) noteReading(splits []dataset.Split) {
	for _, split := range splits {
		if split.Map != "" {
			p.note("proctor: " + split.Name + " questions: " + split.Read())
		}
	}
}

// openAsked is openSet for a command that asks questions. A set without questions to make shots of has none, unless a number of
// them is asked for. Validation questions that are asked as well are no shots.
func (p *program) openAsked(o *evalOptions) (*dataset.Set, error) {
	set, err := p.openSet(o.data)
	if err != nil {
		return nil, err
	}
	if len(set.Validation) == 0 && o.shotsGiven == nil {
		o.shots = 0
		p.note("proctor: " + set.Name + " has no validation questions: 0 shots; --shots-file FILE gives some")
	}
	if o.shots > 0 && len(set.AskedToo) > 0 {
		p.note(fmt.Sprintf("proctor: %s of %s left out as shots, since the test split has them too; `proctor data check` lists them",
			english.Plural(len(set.AskedToo), "validation question", ""), set.Name))
	}
	return set, nil
}
