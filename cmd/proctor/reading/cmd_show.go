package reading

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/options"
	"proctor/runner/mark/grade"
	"proctor/runner/report/items"
	"proctor/runner/report/page"
)

type showOptions struct {
	ruleSet string
	format  page.Format[*items.Item]
}

// Show shows an item of a run.
func Show(p *console.Program) *cli.Command {
	var o showOptions
	return &cli.Command{
		Name:      "show",
		Usage:     "show one item of a run: prompt, completion and the mark by each rule set",
		ArgsUsage: "RUN ID",
		Description: "ID names an item or a question, with or without its task; a unique beginning suffices. The part of the completion\n" +
			"that holds the answer is marked with ⟦ and ⟧, on a terminal in reverse video (unless NO_COLOR is set).\n\n" +
			"   proctor show runs/q4 70\n" +
			"   proctor show runs/binary 70/C --rules binary-first\n" +
			"   proctor show runs/circular mmlu_pro_circular/70/BCDA --format json\n\n" +
			"`proctor report RUN --items --where tag=NO_ANSWER` lists items by tag, subject and more.\n\n" + flags.More +
			meanings(),
		Flags: []cli.Flag{
			options.RulesFlag(&o.ruleSet, "the run's own"),
			flags.Format(&o.format, "page", items.ItemFormats),
		},
		Action: func(c *cli.Context) error { return showItem(p, c.Args().Slice(), o) },
	}
}

func showItem(p *console.Program, args []string, o showOptions) error {
	if len(args) != 2 {
		return errors.New("show needs a RUN, the folder of a run or its journal, and the ID of one of its items")
	}
	item, err := items.Find(args[0], args[1], o.ruleSet)
	if err != nil {
		return err
	}
	if p.Coloured != nil && o.format.Name == items.ItemFormats[0].Name {
		return item.Coloured(p.Coloured)
	}
	return o.format.Write(p.Stdout, item)
}

// meanings are the failure tags and causes, for help.
func meanings() string {
	var b strings.Builder
	b.WriteString("Tags and causes:\n")
	for _, e := range grade.Explanations() {
		fmt.Fprintf(&b, "   %-14s %s\n%18s→ %s\n", e.Name, e.Means, "", e.Remedy)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
