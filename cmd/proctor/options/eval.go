// Package options holds the flags that several commands share, and what they fill: which questions are asked, how they are laid out,
// of which model, and by which rules answers are marked.
package options

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/dataset/choices"
	"proctor/prompts/filler"
	"proctor/prompts/task"
	"proctor/runner/ask/budget"
	"proctor/runner/ask/form"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
)

// Eval says which questions are asked, and how.
type Eval struct {
	Data      Data
	Tasks     string
	direct    bool // their direct variants
	Selection dataset.Selection
	shots     int
	style     string // name or file; empty for the task's own
	expansion prompts.Expansion

	filler      int    // tokens of other text before each prompt
	system      string // text or @FILE
	randomShots bool
	shuffle     *uint64
	Begun       journal.Header // of the run to go on with

	shotsGiven *int // nil where the set may decide
}

// EvalFlags say which questions are asked, and how: the flags that run, plan, render and data stats share.
func EvalFlags(o *Eval) []cli.Flag {
	const category = "QUESTIONS"
	o.shots = prompts.MaxShots // also for a command that has other flags for them
	var styles []string
	for _, style := range prompts.Styles {
		styles = append(styles, style.Name)
	}
	return slices.Concat(promptTextFlags(o), DataFlags(&o.Data), []cli.Flag{
		&cli.StringFlag{
			Name: "tasks", Aliases: []string{"task"}, Value: task.All[0].Name, Destination: &o.Tasks, Category: category,
			Usage: "`LIST` of tasks: " + task.ShortNames() + "; with a subject as in " + task.All[0].Name + "_math",
		},
		flags.Switch(&o.direct, "direct", category,
			"no reasoning: read the letters' probabilities from one prefill per question"),
		flags.Read("subjects", category, "",
			"`LIST` of subjects, as in \"math,computer science\" or math:1-50; unique prefixes suffice (default: all)",
			func(list string) error { return subjectsOf(list, &o.Selection) }),
		flags.Read("ids", category, "", "ask these questions: `IDS` as in 70,71, or @FILE",
			func(text string) error { return idsOf(text, &o.Selection) }),
		flags.Read("limit", category, "all",
			"ask `N` questions, N/subject, or a share such as 10%, drawn evenly from the subjects",
			func(text string) error { return limitOf(text, &o.Selection) }),
		flags.Switch(&o.Selection.First, "first", category,
			"with --limit: ask the first N instead of drawing them; evalscope's limit of 10 is --limit 10/subject --first"),
		&cli.Uint64Flag{Name: "seed", Destination: &o.Selection.Seed, Category: category,
			Usage: "random seed `S`, for the draw of questions and for sampling",
		},
		&cli.IntFlag{
			Name: "shots", Value: prompts.MaxShots, Destination: &o.shots, Category: category,
			Usage:  "`N` worked examples before each question, 0 to 5; 0 for a set without validation questions",
			Action: flags.Given(&o.shotsGiven),
		},
		flags.Text(&o.style, "style", category, "",
			"prompt style `NAME` or file: "+strings.Join(styles, ", ")+", or one task's, which style list has (default: the task's own)"),
		flags.Text(&o.expansion.Pattern, "pattern", category, "",
			task.Names(task.EachOrder)+": `PATTERN` "+task.Circular+" (rotations) or "+task.AllPossible+" (all orders)"),
		&cli.IntFlag{
			Name: "max-patterns", Destination: &o.expansion.MaxPatterns, DefaultText: "all, refused above 24 per " +
				"question", Category: category,
			Usage: "with --pattern " + task.AllPossible + ": at most `N` orders per question, drawn with --seed",
		},
		flags.Switch(&o.expansion.Balance, "balance", category,
			task.Names(task.EachOption)+": ask only about the gold option and one other"),
	})
}

// FillerFlag has other text stand before each prompt.
func FillerFlag(o *Eval) cli.Flag {
	return &cli.IntFlag{
		Name: "filler", Destination: &o.filler, DefaultText: "none", Category: "QUESTIONS",
		Usage:  "put `N` tokens of other subjects' questions before each prompt: long contexts, shared by a subject",
		Action: flags.Valid("filler", func(n int) bool { return n >= filler.Least }, fmt.Sprintf("give %d tokens or more", filler.Least)),
	}
}

// DrawRefusals are of flags that say which questions are drawn.
var DrawRefusals = []flags.Refusal{
	{Flags: "first", Without: "limit", Why: "goes with --limit N"},
	{Flags: "ids", With: "limit first subjects like until-decided until-half-width", Why: "asks the questions that it names and no " +
		"others: leave --limit, --first, --subjects, --like, --until-decided and --until-half-width out"},
}

// subjectsOf reads a list of subjects, of which some may have the places of the questions to ask.
func subjectsOf(list string, to *dataset.Selection) error {
	to.Subjects, to.Chosen = nil, nil
	for name := range strings.SplitSeq(list, ",") {
		if !choices.IsSpan(name) {
			to.Subjects = append(to.Subjects, name)
			continue
		}
		if _, err := choices.Parse(name); err != nil {
			return fmt.Errorf("--subjects %s: %w", list, err)
		}
		to.Chosen = append(to.Chosen, strings.TrimSpace(name))
	}
	return nil
}

// idsOf reads questions' ids, or a file of them.
func idsOf(ids string, to *dataset.Selection) (err error) {
	text, from := ids, "--ids "+ids
	if path, is := strings.CutPrefix(ids, "@"); is {
		if text, err = readText(path); err != nil {
			return fmt.Errorf("--ids: %w", err)
		}
	}
	if to.Chosen, err = choices.IDs(text); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return nil
}

// limitOf reads a limit: 700, 50/subject, 0.1 or 10%.
func limitOf(text string, to *dataset.Selection) error {
	number, perSubject := strings.CutSuffix(text, "/subject")
	n, err := strconv.Atoi(number)
	share, wrong := format.ParseShare(number)
	switch {
	case err == nil && n >= 1 && perSubject:
		to.PerSubject = n
	case err == nil && n >= 1:
		to.Limit = n
	case err != nil && wrong == nil && !perSubject && share > 0:
		to.Share = share
	default:
		return fmt.Errorf("--limit %s: ask at least 1 question, as in 700 or 50/subject, or a share up to 1, as in 0.1 or 10%%; "+
			"leave the flag out to ask all", text)
	}
	return nil
}

// Evals are what the flags name: each task in its style.
func (o Eval) Evals(set *dataset.Set) ([]prompts.Eval, error) {
	tasks, err := task.Parse(o.Tasks, set.Subjects())
	if err != nil {
		return nil, err
	}
	if o.direct {
		if tasks, err = task.AllDirect(tasks); err != nil {
			return nil, err
		}
	}
	if i := slices.IndexFunc(tasks, func(t task.Task) bool { return t.Subject != "" }); i >= 0 && len(o.Selection.Chosen) > 0 {
		return nil, fmt.Errorf("task %s names a subject already: choose the questions one way or the other", tasks[i])
	}
	o.expansion.Seed = o.Selection.Seed
	system, err := o.systemText()
	if err != nil {
		return nil, err
	}
	evals := make([]prompts.Eval, len(tasks))
	for i, each := range tasks {
		style, err := o.styleOf(each)
		if err != nil {
			return nil, err
		}
		shots := o.shots
		if !style.ShowsShots() && o.shotsGiven == nil && o.Begun.Style == "" {
			shots = 0
		}
		evals[i] = prompts.Eval{
			Task: each, Style: style, Shots: shots, Expansion: o.expansion,
			Filler: o.filler, System: system, RandomShots: o.randomShots, Shuffle: o.shuffle,
		}
	}
	return evals, nil
}

// As returns the same eval with another style, other shots or another system prompt. Empty and nil arguments change nothing.
func (o Eval) As(style string, shots *int, system *string) Eval {
	if style != "" {
		o.style = style
	}
	if shots != nil {
		o.shots, o.shotsGiven = *shots, shots
	}
	if system != nil {
		o.system = *system
	}
	return o
}

// Behind returns the eval with the given number of tokens of other text before each prompt; 0 means no such text.
func (o Eval) Behind(tokens int) Eval {
	o.filler = tokens
	return o
}

// FillerTokens reads how many tokens of other text stand before each prompt: 0, or as many as it takes to say what the text is.
func FillerTokens(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n != 0 && n < filler.Least || n > math.MaxInt32 {
		return 0, fmt.Errorf("--filler %s: give numbers of tokens from %d on, or 0 for none, as in 0,2048,8192", text, filler.Least)
	}
	return n, nil
}

// One is the only eval that the flags of a command name.
func (o Eval) One(set *dataset.Set, command string) (prompts.Eval, error) {
	evals, err := o.Evals(set)
	if err != nil {
		return prompts.Eval{}, err
	}
	if len(evals) > 1 {
		return prompts.Eval{}, fmt.Errorf("%s takes one task, --tasks names %d", command, len(evals))
	}
	return evals[0], nil
}

// Items renders all the items that the flags of a command name.
func (o Eval) Items(set *dataset.Set, command string) (prompts.Eval, []prompts.Item, error) {
	eval, err := o.One(set, command)
	if err != nil {
		return eval, nil, err
	}
	questions, err := set.Select(o.Of(eval.Task))
	if err != nil {
		return eval, nil, err
	}
	items, err := eval.Items(set, questions)
	return eval, items, err
}

// Of is the selection for a task, which may name its subject.
func (o Eval) Of(task task.Task) dataset.Selection {
	if task.Subject != "" {
		o.Selection.Subjects = []string{task.Subject}
	}
	return o.Selection
}

// ThinkFlags say how long a model may think before it answers.
func ThinkFlags(to *budget.Choice) []cli.Flag {
	const category = "QUESTIONS"
	return []cli.Flag{
		flags.Read("think-budget", category, "8192 if the template thinks",
			"close thinking after `N` tokens; several, as in 512,2048,8192, fork from one thinking", func(text string) (err error) {
				to.Tokens, err = Budgets(text)
				return err
			}),
		&cli.StringFlag{
			Name: "think-close", Destination: &to.Say, Category: category,
			Usage: "`SENTENCE` that ends thinking closed by --think-budget (default: none)",
			Action: flags.Valid("think-close", func(text string) bool { return strings.TrimSpace(text) != "" && utf8.ValidString(text) },
				"give a sentence, or leave the flag out"),
		},
	}
}

// mostBudgets are more than anybody draws a curve of.
const mostBudgets = 16

// Budgets reads numbers of tokens, and has them ascend.
func Budgets(text string) ([]int, error) {
	var all []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 || n > math.MaxInt32/2 {
			return nil, fmt.Errorf("--think-budget %s: give tokens of thinking, as in 8192, or several, as in 512,2048,8192; 0 is none", text)
		}
		all = append(all, n)
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > mostBudgets {
		return nil, fmt.Errorf("--think-budget %s: %d budgets are too many: give at most %d", text, len(all), mostBudgets)
	}
	return all, nil
}

// PromptFlags say in which form a model gets its prompts.
func PromptFlags(to *form.Form) []cli.Flag {
	const category = "QUESTIONS"
	to.Write = registry.BuiltinTemplate
	return []cli.Flag{
		&cli.StringFlag{
			Name: "prompt", Value: form.Raw, Destination: &to.Mode, Category: category,
			Usage: "prompt `MODE`: raw (as MMLU-Pro does), chat (one user turn), turns (one per shot) or auto (chat with a template)",
		},
		chatTemplateFlag(to),
		templateArgFlag(&to.Arguments),
		&cli.StringFlag{
			Name: "reasoning-effort", Destination: &to.Effort, Category: category,
			Usage: "`EFFORT` of thinking, if the template or server has it: " + strings.Join(backends.Efforts, ", "),
			Action: flags.Valid("reasoning-effort", func(effort string) bool { return slices.Contains(backends.Efforts, effort) },
				"there are low, medium and high"),
		},
		flags.Choice("think", category, "thinking `MODE` of models that can think: on, off or auto (the model's default)",
			[]string{flags.Auto, "on", "off"}, func(think string) {
				if to.Think = nil; think != flags.Auto {
					on := think == "on"
					to.Think = &on
				}
			}),
	}
}
