package ask

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask/budget"
	"proctor/runner/ask/form"
	"proctor/runner/ask/spec"
	"proctor/runner/ask/stopping"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
)

// Settings are what decides the answers, beside the prompts.
type Settings struct {
	RuleSet   string // name of the run's own rule set or a rule file's text, see package grade; empty for the style's
	Sampling  backends.Sampling
	MaxTokens int      // cap on generated tokens, > 0
	EndLoops  bool     // end a completion that repeats itself
	Stop      []string // end a completion in the place of the style's stop strings, also in conversations; nil for those
	Repeats   int      // how often every item is asked; 0 and 1: once

	Thinking budget.Choice // how long the model may think, where it does

	// KeepLogprobs has the model tell how likely each completion's tokens were, for a file beside the journal.
	KeepLogprobs bool

	// UntilDecided ends the run once it is decided how it does beside another run of the same questions; the zero value: ask all.
	UntilDecided stopping.Until
}

// SettingsOf are those of a specification.
func SettingsOf(s *spec.Spec) Settings {
	return Settings{
		RuleSet: s.Rules.String(), Sampling: s.Drawn(), MaxTokens: s.Cap(), EndLoops: s.EndLoops(), Stop: s.Stop.Or(nil), Repeats: s.Repeats,
		Thinking:     budget.Choice{Tokens: s.Budgets, Free: s.MaxTokens > 0},
		KeepLogprobs: s.KeepLogprobs,
		UntilDecided: stopping.Until{Run: s.UntilDecided, Margin: float64(s.Margin), Alpha: s.Alpha},
	}
}

// A Plan is one task's run, fixed before its first request.
type Plan struct {
	Task  task.Task
	Items []prompts.Item // ordered by subject, then question; see repeated for where the repeats are

	set     *dataset.Set     // that the questions are of
	repeats []int            // beside each item: which time it is asked, from 1
	blocks  [][]int          // of items, in the order to ask them; several where the run may stop by itself, or was extended
	header  journal.Header   // without what only an open model knows
	tokens  []int            // of each item's prompt; nil until Measure
	added   []int            // of those, the new ones: that no prompt before begins with
	ownStop bool             // the stop strings are not the style's
	think   *bool            // of conversations; nil leaves it to the model
	budget  *backends.Budget // of their thinking; nil: it ends by itself
	choice  budget.Choice
	length  budget.Length       // that completions are expected to have
	earlier budget.Earlier      // what the run that goes on has; zero where there is none
	unread  int                 // tokens to evaluate of the prompts that are left; 0 until Measure
	begun   string              // folder of the run that goes on; empty where there is none
	stops   *stopping.Reference // ends the run; nil: all is asked
	extends int                 // questions of the run that is extended; 0 for none
	raises  bool                // the cap of the run that goes on, as some of its items are asked again
	mine    []int               // the items of a run that is divided that this shard asks; nil once the others are left out

	measured Measured // of [Evals], while the prompts are as they were planned

	letters       *letters // of a direct plan; nil until the model is known
	keepsLogprobs bool
}

// NewPlan selects the questions and renders their prompts. A task that names a subject asks that subject only.
func NewPlan(set *dataset.Set, eval prompts.Eval, selection dataset.Selection, settings Settings) (*Plan, error) {
	if eval.Task.Subject != "" {
		if len(selection.Subjects) > 0 {
			return nil, errors.New("task " + eval.Task.String() + " names a subject already: choose subjects one way or the other")
		}
		selection.Subjects = []string{eval.Task.Subject}
	}
	if eval.Task.Direct { // nothing is generated
		settings.Sampling, settings.MaxTokens, settings.EndLoops = backends.Sampling{}, 0, false
		settings.Stop, eval.Style.Stop = nil, []string{}
		settings.RuleSet = cmp.Or(settings.RuleSet, grade.Direct)
	}
	rules, err := rulesFor(eval, settings)
	if err != nil {
		return nil, err
	}
	if selection.Subjects, err = set.Named(selection.Subjects); err != nil {
		return nil, err
	}
	questions, err := set.Select(selection)
	if err == nil && len(questions) == 0 {
		err = errors.New("no questions to ask: " + set.Name + " has none in its test split")
	}
	if err != nil {
		return nil, err
	}
	items, err := eval.Items(set, questions)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Task: eval.Task, set: set, keepsLogprobs: settings.KeepLogprobs, choice: settings.Thinking}
	plan.Items, plan.repeats = repeated(items, max(1, settings.Repeats), settings.Sampling.Temperature == 0)
	plan.blocks = [][]int{stopping.All(len(plan.Items))}
	if selection.BySubject() {
		selection.Limit = len(questions)
	}
	plan.header = header(set, &eval, &selection, settings, rules)
	plan.header.Selection.Questions = len(questions)
	plan.ownStop = settings.Stop != nil
	plan.describe()
	if settings.UntilDecided.Run != "" {
		return plan, plan.holdAgainst(settings.UntilDecided, rules, selection)
	}
	return plan, nil
}

// header is a plan's, without what its items say.
func header(set *dataset.Set, eval *prompts.Eval, selection *dataset.Selection, settings Settings, rules grade.RuleSet) journal.Header {
	h := journal.Header{
		Task:    eval.Task.Name,
		Pattern: eval.Task.Pattern(eval.Pattern),
		Dataset: journal.Dataset{
			Name: set.Name, SHA256: set.SHA256, Split: dataset.TestSplit, Rows: len(set.Test), Options: set.MostOptions(),
			Subjects: len(set.Subjects()), Map: set.Map(), Published: set.Published(),
		},
		Style:      eval.Style.Name,
		System:     eval.System,
		Shots:      eval.Shots,
		PromptMode: form.Raw,
		RuleSet:    rules.Name,
		RuleFile:   journal.SourceOf(rules.Text),
		Thinking:   backends.ThinkingNames(),
		Sampling: journal.Sampling{
			Sampling: settings.Sampling, MaxTokens: settings.MaxTokens, Stop: eval.Style.Stop, EndLoops: settings.EndLoops,
		},
		Selection: journal.Selection{
			Limit: selection.Limit, First: selection.First, Seed: selection.Seed, Subjects: selection.Subjects,
			Chosen:     selection.Chosen,
			PerSubject: selection.PerSubject, Share: selection.Share,
		},
	}
	if settings.Repeats > 1 { // a header without the field says once
		h.Repeats = settings.Repeats
	}
	if !eval.Style.BuiltIn {
		h.StyleFile = journal.SourceOf(eval.Style.Text)
	}
	if settings.Stop != nil {
		h.Sampling.Stop = settings.Stop
	}
	return h
}

// describe puts what the items say into the header.
func (p *Plan) describe() {
	p.header.Preambles = p.preambles()
	var ids []string
	for _, item := range p.Items {
		ids = append(ids, item.ID)
	}
	p.header.Selection.IDsSHA256, p.header.Selection.Items = journal.DigestIDs(ids), len(ids)
}

// holdAgainst has the plan end once it is decided how it does beside another run, over all questions that a selection draws from.
// Questions that people chose are drawn from nothing.
func (p *Plan) holdAgainst(until stopping.Until, rules grade.RuleSet, selection dataset.Selection) error {
	all, err := p.set.Select(dataset.Selection{Subjects: selection.Subjects, Chosen: selection.Chosen})
	if err != nil {
		return err
	}
	from := map[string]int{}
	for _, q := range all {
		from[q.Subject]++
	}
	reference, err := until.Open(p.Items, &p.header, rules, from)
	if err != nil {
		return err
	}
	p.stops, p.blocks = reference, reference.Blocks()
	p.header.Selection.UntilDecided = &reference.Asked
	return nil
}

// rulesFor finds the rule set that an eval is marked with: the one that is named, else its style's.
func rulesFor(eval prompts.Eval, settings Settings) (grade.RuleSet, error) {
	rules, err := grade.Lookup(cmp.Or(settings.RuleSet, eval.Style.Rules))
	switch task := eval.Task.Name; {
	case err != nil:
		return rules, err
	case !rules.Applies(task):
		return rules, fmt.Errorf("%s does not mark %s; these do: %s", setting.Rules.As(rules.Name), task, grade.Names(grade.For(task)))
	}
	return rules, nil
}

// Header is the journal's first line for this plan on an open, planned model.
func (p *Plan) Header(info backends.Info, host backends.Host, version string, now time.Time) journal.Header {
	header := p.header
	header.ToolVersion = version
	header.Created = now.UTC().Truncate(time.Second)
	header.Model = info.Model
	header.Backend = info.Engine
	header.Host = host
	header.Notes = slices.Concat(header.Notes, info.Notes)
	return header
}

func (p *Plan) preambles() map[string]string {
	preambles := map[string]string{}
	for _, item := range p.Items {
		preambles[item.Subject] = item.Preamble
	}
	return preambles
}
