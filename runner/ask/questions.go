package ask

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask/budget"
	"proctor/runner/ask/form"
	"proctor/runner/ask/shard"
	"proctor/runner/ask/spec"
	"proctor/runner/ask/stopping"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
)

// Questions are a task's questions, laid out by its style, before a model is known: the first step of a [Plan].
type Questions struct {
	Task  task.Task
	Items []prompts.Item // ordered by subject, then question; see repeated for where the repeats are

	set        *dataset.Set
	eval       prompts.Eval
	selection  dataset.Selection
	spec       spec.Spec
	choice     budget.Choice       // how long the model may think
	repeats    []int               // for each item, which of its repeats it is, from 1
	blocks     [][]int             // of items, in the order to ask them; several where the run may stop by itself, or was extended
	header     journal.Header      // without the fields that need an open model
	stops      *stopping.Reference // may end the run early; nil: it asks everything
	shardItems []int               // the items that a shard asks; nil for all

	// Of a resumed run.
	was     *journal.Continuation // nil for a new run
	folder  string
	extends int // questions of the run that is extended; 0 for none
}

// NewQuestions selects the questions of an eval and lays them out by the specification. A task that names a subject has that subject
// only.
func NewQuestions(set *dataset.Set, eval prompts.Eval, selection dataset.Selection, s spec.Spec) (*Questions, error) {
	if eval.Task.Subject != "" {
		if len(selection.Subjects) > 0 {
			return nil, errors.New("task " + eval.Task.String() + " names a subject already: choose subjects one way or the other")
		}
		selection.Subjects = []string{eval.Task.Subject}
	}
	if eval.Task.Direct {
		eval.Style.Stop, eval.Style.Rules = []string{}, grade.Direct
	}
	rules, err := grade.Lookup(cmp.Or(s.Rules.String(), eval.Style.Rules))
	if err == nil && !rules.Applies(eval.Task.Name) {
		err = fmt.Errorf("%s does not mark %s; these do: %s", setting.Rules.As(rules.Name), eval.Task.Name,
			grade.Names(grade.For(eval.Task.Name)))
	}
	if err != nil {
		return nil, err
	}
	if selection.Subjects, err = set.Named(selection.Subjects); err != nil {
		return nil, err
	}
	chosen, err := set.Select(selection)
	if err == nil && len(chosen) == 0 {
		err = errors.New("no questions to ask: " + set.Name + " has none in its test split")
	}
	if err != nil {
		return nil, err
	}
	items, err := eval.Items(set, chosen)
	if err != nil {
		return nil, err
	}
	q := &Questions{Task: eval.Task, set: set, eval: eval, selection: selection, spec: s,
		choice: budget.Choice{Tokens: s.Budgets, Free: s.MaxTokens > 0}}
	q.Items, q.repeats = repeated(items, max(1, s.Repeats), s.Temperature == 0 && s.Sampling.Word != spec.Own || eval.Task.Direct)
	q.blocks = [][]int{stopping.All(len(q.Items))}
	q.header = q.newHeader(rules, len(chosen))
	if s.UntilDecided != "" {
		if q.stops, err = (stopping.Until{Run: s.UntilDecided, Margin: float64(s.Margin), Alpha: s.Alpha}).Open(q.Items,
			&q.header, rules); err != nil {
			return nil, err
		}
		q.blocks, q.header.Selection.UntilDecided = q.stops.Blocks(), &q.stops.ForHeader
	}
	return q, nil
}

// newHeader is the header with everything that is known before a model is open.
func (q *Questions) newHeader(rules grade.RuleSet, questions int) journal.Header {
	set, eval, selection := q.set, &q.eval, &q.selection
	h := journal.Header{
		Task:      eval.Task.Name,
		Pattern:   eval.Task.Pattern(eval.Pattern),
		RuleSet:   rules.Name,
		RuleFile:  journal.SourceOf(rules.Text),
		Preambles: preambles(q.Items),
		Setup: journal.Setup{
			Dataset: journal.Dataset{
				Name: set.Name, SHA256: set.SHA256, Split: dataset.TestSplit, Rows: len(set.Test), Options: set.MostOptions(),
				Subjects: len(set.Subjects()), Map: set.Map(), Published: set.Published,
			},
			Style:      eval.Style.Name,
			System:     eval.System,
			Shots:      eval.Shots,
			PromptMode: form.Raw,
			Sampling:   q.sampling(),
			Selection: journal.Selection{
				Limit: selection.Limit, First: selection.First, Seed: selection.Seed, Subjects: selection.Subjects,
				Chosen: selection.Chosen, PerSubject: selection.PerSubject, Share: selection.Share, Questions: questions,
			},
		},
	}
	if selection.BySubject() {
		h.Selection.Limit = questions
	}
	h.History = journal.History{{Questions: h.Selection.Draw(), MaxTokens: h.Sampling.MaxTokens}}
	h.Selection.IDsSHA256, h.Selection.Items = digest(q.Items), len(q.Items)
	if q.spec.Repeats > 1 { // the header leaves out a 1
		h.Repeats = q.spec.Repeats
	}
	if !eval.Style.BuiltIn {
		h.StyleFile = journal.SourceOf(eval.Style.Text)
	}
	return h
}

// sampling says how tokens are drawn and where completions end; it is empty for a direct task, which generates nothing.
func (q *Questions) sampling() journal.Sampling {
	if q.Task.Direct {
		return journal.Sampling{Stop: []string{}}
	}
	return journal.Sampling{Sampling: q.spec.Drawn(), MaxTokens: q.spec.Cap(), Stop: q.spec.Stop.Or(q.eval.Style.Stop), EndLoops: q.spec.Loops == "end"}
}

func preambles(items []prompts.Item) map[string]string {
	all := map[string]string{}
	for _, item := range items {
		all[item.Subject] = item.Preamble
	}
	return all
}

func digest(items []prompts.Item) string {
	ids := make([]string, len(items))
	for i := range items {
		ids[i] = items[i].ID
	}
	return journal.DigestIDs(ids)
}

// repeated lists every item times times, and for each which repeat it is, from 1. Repeats of a sampled item follow each other, so that
// its prompt is decoded once. Greedy repeats are spread: a subject's items are all asked once before any is repeated. Engines compute
// slightly differently depending on what shares a batch, which is all that greedy repeats can show, and repeats side by side would
// hide it.
func repeated(items []prompts.Item, times int, greedy bool) (all []prompts.Item, repeats []int) {
	add := func(item prompts.Item, repeat int) {
		item.ID = journal.RepeatID(item.ID, repeat)
		all, repeats = append(all, item), append(repeats, repeat)
	}
	if !greedy {
		for _, item := range items {
			for repeat := range times {
				add(item, repeat+1)
			}
		}
		return all, repeats
	}
	for subject := range prompts.BySubject(items) {
		for repeat := range times {
			for _, item := range subject {
				add(item, repeat+1)
			}
		}
	}
	return all, repeats
}

// Shard reduces the questions to a shard's, with all their items. The header, and so the fingerprint, stays that of the whole run,
// apart from the shard in its history.
func (q Questions) Shard(part shard.Part) (*Questions, error) {
	most := q.header.Sampling.MaxTokens
	if q.was != nil {
		// shards are divided by the cap that the run began with, also once it is raised
		most = q.was.Header.History.First().MaxTokens
	}
	all, of := q.divisible(most)
	preamble := map[string]int{}
	for subject, text := range q.header.Preambles {
		preamble[subject] = estimate(text)
	}
	ends, err := shard.Divide(all, preamble, part.Count)
	if err != nil {
		return nil, err
	}
	from, end := slices.Concat([]int{0}, ends)[part.Index-1], ends[part.Index-1]
	q.shardItems = nil
	for i := range q.Items {
		if from <= of[i] && of[i] < end {
			q.shardItems = append(q.shardItems, i)
		}
	}
	asked := q.header.History.Last()
	asked.Shard = &journal.Shard{
		Index: part.Index, Count: part.Count, Questions: end - from, Items: len(q.shardItems), IDsSHA256: digest(at(q.Items, q.shardItems)),
	}
	q.header.History = journal.History{asked}
	return &q, nil
}

// divisible are the questions as dividing takes them, in order, and beside each item which of them it is of.
func (q *Questions) divisible(maxTokens int) (all []shard.Question, of []int) {
	type question struct {
		subject string
		id      int
	}
	at := map[question]int{}
	for _, item := range q.Items {
		key := question{item.Subject, item.QuestionID}
		i, known := at[key]
		if !known {
			i = len(all)
			at[key] = i
			all = append(all, shard.Question{Subject: item.Subject})
		}
		all[i].Tokens += estimate(item.Text) + min(backends.AssumedOutput, maxTokens)
		of = append(of, i)
	}
	return all, of
}

// estimate is a text's number of tokens, about: 48 prompts about business had 3.58 characters a token with a vocabulary
// of 32,064 tokens (Phi-3's); other subjects and vocabularies were not measured.
func estimate(text string) int { return int(float64(utf8.RuneCountInString(text))/3.5 + 0.5) }

// at are the values at some places.
func at[T any](all []T, places []int) []T {
	some := make([]T, len(places))
	for i, place := range places {
		some[i] = all[place]
	}
	return some
}

// asks is the number of questions asked here: a shard's, or all.
func (q *Questions) asks() int {
	if s := q.header.History.Last().Shard; s != nil {
		return s.Questions
	}
	return q.header.Selection.Questions
}
