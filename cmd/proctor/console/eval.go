package console

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
	"proctor/prompts/chat"
	"proctor/prompts/dataset"
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
	pattern   string // of orders

	system string         // text or @FILE
	Begun  journal.Header // of the run to go on with

	shotsGiven *int // nil where the set may decide
}

// EvalFlags say which questions are asked, and how: the flags that run, plan, render and data stats share.
func EvalFlags(o *Eval) []cli.Flag {
	w := SharedWords
	o.shots, o.Tasks = prompts.MaxShots, task.All[0].Name // the shots also for a command that has other flags for them
	return append(DataFlags(&o.Data),
		w.Text("system", &o.system, flags.Valid(isText, "give a text, or @FILE; leave the flag out to say nothing")),
		w.Text("tasks", &o.Tasks),
		w.Switch("direct", &o.direct),
		w.Read("subjects", func(list string) error { return subjectsOf(list, &o.Selection) }),
		w.Read("ids", func(text string) error { return idsOf(text, &o.Selection) }),
		w.Read("limit", func(text string) error { return limitOf(text, &o.Selection) }),
		w.Switch("first", &o.Selection.First),
		w.Uint64("seed", &o.Selection.Seed),
		w.Int("shots", &o.shots, flags.Given(&o.shotsGiven)),
		w.Text("style", &o.style),
		w.Text("pattern", &o.pattern),
	)
}

// subjectsOf reads a list of subjects, of which some may have the places of the questions to ask.
func subjectsOf(list string, to *dataset.Selection) (err error) {
	if to.Subjects, to.Chosen, err = dataset.ReadSubjects(list); err != nil {
		return fmt.Errorf("--subjects %s: %w", list, err)
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
	if to.Chosen, err = dataset.ReadIDs(text); err != nil {
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
			Task: each, Style: style, Shots: shots, Pattern: o.pattern, System: system,
		}
	}
	return evals, nil
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
	return []cli.Flag{
		SharedWords.Read("think-budget", func(text string) (err error) {
			to.Tokens, err = Budgets(text)
			return err
		}),
	}
}

// isText says whether a text says something, and is one.
func isText(text string) bool { return strings.TrimSpace(text) != "" && utf8.ValidString(text) }

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

// TemplateCommand has this program render chat templates for a [chat.Process].
const TemplateCommand = "template"

// PromptFlags say in which form a model gets its prompts.
func PromptFlags(to *form.Form) []cli.Flag {
	to.Write, to.Mode = registry.BuiltinTemplate, form.Raw
	to.Render = (&chat.Process{Args: []string{"proctor", TemplateCommand}}).Render
	return []cli.Flag{
		SharedWords.Text("prompt", &to.Mode),
		chatTemplateFlag(to),
		templateArgFlag(&to.Arguments),
		SharedWords.Text("reasoning-effort", &to.Effort,
			flags.Valid(func(effort string) bool { return slices.Contains(backends.Efforts, effort) }, "there are low, medium and high")),
		SharedWords.Choice("think", []string{flags.Auto, "on", "off"}, func(think string) {
			if to.Think = nil; think != flags.Auto {
				on := think == "on"
				to.Think = &on
			}
		}),
	}
}
