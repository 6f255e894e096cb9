package ask

import (
	"cmp"
	"context"
	"path/filepath"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/ask/budget"
	"proctor/runner/journal"
	"proctor/runner/journal/logprobs"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
	"proctor/runner/report"
	"proctor/runner/report/page"
)

// A Forecast is what can be known of a session before anything is asked.
type Forecast struct {
	Model   backends.ModelInfo `json:"model"`
	Tasks   []TaskForecast     `json:"tasks"`
	Memory  string             `json:"memory"` // the engine's settings and the memory that they take
	Slots   int                `json:"slots,omitempty"`
	Context int                `json:"context,omitempty"` // tokens a slot holds
	Bytes   int64              `json:"memory_bytes,omitempty"`
	Takes                      // for what is left of all tasks
	Source  string             `json:"seconds_source"`     // what the seconds are based on, or why they are unknown
	Drawn   string             `json:"sampling,omitempty"` // a remark on the sampling that the model's file or server recommends
	Prompts bool               `json:"-"`                  // the page shows each task's first prompt

	Decoding stats.Number `json:"decoding_seconds,omitzero"` // the part of the seconds that is not prefill
}

// A TaskForecast is the forecast for one task.
type TaskForecast struct {
	Task         string   `json:"task"`
	Questions    int      `json:"questions"`
	Items        int      `json:"items"` // repeats included
	Left         int      `json:"left"`  // of them, without a completion
	Style        string   `json:"style"`
	PromptMode   string   `json:"prompt_mode"`
	RuleSet      string   `json:"rule_set"`
	MaxTokens    int      `json:"max_tokens"`
	Budgets      []int    `json:"think_budgets,omitempty"`      // that thinking is closed at
	Output       int      `json:"output_tokens_each,omitempty"` // expected for a completion; 0 where unknown
	PromptTokens int      `json:"prompt_tokens,omitempty"`      // of all prompts; 0 where there is no tokenizer
	NewTokens    int      `json:"new_tokens,omitempty"`         // of those, the ones to evaluate where all that can be is shared
	Files        []string `json:"files"`                        // to be written
	First        Prompt   `json:"first_prompt"`
	LogprobBytes int      `json:"logprob_bytes,omitempty"` // of the file with the log-probabilities, if they are kept
}

// A Prompt is one item's prompt.
type Prompt struct {
	ID     string `json:"id"`
	Tokens int    `json:"tokens,omitempty"` // 0 where there is no tokenizer
	Text   string `json:"text"`
}

// Foresee says what New and Run would do, without asking the model anything. It refuses whatever they would refuse.
func Foresee(ctx context.Context, o Options, evals Evals, open Opener) (*Forecast, error) {
	s, err := newSession(o, evals)
	if err != nil {
		return nil, err
	}
	if err := s.open(ctx, open); err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.writePrompts(ctx); err != nil {
		return nil, err
	}
	work := s.workload()
	known, others := backends.Forecast{Source: "this backend gives no estimate"}, backends.Load{}
	if forecaster, ok := s.model.(backends.Forecaster); ok {
		known, others, err = s.foresee(func() (backends.Forecast, error) { return forecaster.Forecast(ctx, work) })
		if err != nil {
			return nil, err
		}
	}
	if s.info, err = s.model.Info(ctx); err != nil {
		return nil, err
	}
	s.info.Engine.Context = known.Context
	s.Out = s.folder()
	f := &Forecast{
		Model: s.info.Model, Memory: known.Description, Slots: known.Slots, Context: known.Context, Bytes: known.Total(),
		Takes:  s.takes(known, others.Share),
		Source: known.Source + taken(others), Drawn: s.drawn,
	}
	if seconds, is := f.Seconds.Get(); is {
		for _, plan := range s.plans {
			seconds -= float64(plan.unread) / known.Prefill
		}
		f.Decoding = stats.Of(seconds)
	}
	for i, folder := range s.Folders() {
		task, err := s.plans[i].forecast(folder)
		if err != nil {
			return nil, err
		}
		f.Tasks = append(f.Tasks, task)
	}
	return f, cmp.Or(s.checkJournals(), s.checkFit(known.Unfit))
}

func (p *Plan) forecast(folder string) (TaskForecast, error) {
	h := &p.header
	t := TaskForecast{
		Task: p.Task.String(), Questions: p.asks(), Items: len(p.Items), Left: p.left().items, Style: h.Style, PromptMode: h.PromptMode,
		RuleSet: h.RuleSet, MaxTokens: h.Sampling.MaxTokens, Budgets: h.Budgets, Output: p.length.Tokens,
		Files: []string{filepath.Join(folder, journal.FileName)},
		First: Prompt{ID: p.Items[p.blocks[0][0]].ID, Text: p.Items[p.blocks[0][0]].Prompt()},
	}
	for _, format := range report.Formats {
		t.Files = append(t.Files, report.Path(folder, format.Ext))
	}
	if p.spec.KeepLogprobs {
		t.LogprobBytes = t.Left * cmp.Or(t.Output, backends.AssumedOutput) * logprobs.BytesAToken
	}
	if p.tokens == nil {
		return t, nil
	}
	lengths, err := p.tokens.Lengths()
	if err != nil {
		return t, err
	}
	added, err := p.tokens.New(p.order())
	for i, n := range lengths {
		t.PromptTokens, t.NewTokens = t.PromptTokens+n, t.NewTokens+added[i]
	}
	t.First.Tokens = lengths[p.blocks[0][0]]
	return t, err
}

// ForecastFormats are the ways of writing a forecast, the default first.
var ForecastFormats = page.FormatsOf((*Forecast).page)

func (f *Forecast) page() page.Page {
	p := page.Page{Title: "Dry run: nothing was asked, nothing is written"}
	for i := range f.Tasks {
		p.Add(f.Tasks[i].section())
	}
	s := page.Section{Title: "Model"}
	s.Facts.Add("model", f.Model.Title(), "given as "+f.Model.Ref)
	s.Facts.Add("plan", f.Memory, "")
	if f.Drawn != "" {
		s.Notes = append(s.Notes, f.Drawn)
	}
	if f.Known() {
		s.Facts.Add("time", f.Takes.String(), f.Source)
	} else {
		s.Facts.Add("time", "unknown: "+f.Source+"; `proctor plan "+setting.Run.As("RUN")+"` takes a finished run's speed", "")
	}
	p.Add(s)
	files := page.Section{Title: "To be written"}
	for _, task := range f.Tasks {
		files.Notes = append(files.Notes, task.Files...)
	}
	p.Add(files)
	for _, task := range f.Tasks {
		if f.Prompts {
			title := "First prompt · " + task.First.ID + " · " + counted(task.First.Tokens)
			p.Add(page.Section{Title: title, Text: &page.Text{Text: task.First.Text}})
		}
	}
	return p
}

// counted is a number of tokens; 0 where nothing counts them.
func counted(n int) string {
	if n == 0 {
		return "not counted: there is no tokenizer"
	}
	return format.Several(n, "token")
}

func (t *TaskForecast) section() page.Section {
	s := page.Section{Title: "Task " + t.Task}
	items := format.Several(t.Items, "item")
	if t.Left < t.Items {
		items += ", " + format.Count(t.Items-t.Left) + " of them answered"
	}
	s.Facts.Add("to ask", format.Several(t.Questions, "question"), items)
	shared := ""
	if t.NewTokens > 0 {
		shared = format.Count(t.NewTokens) + " of them to evaluate, the others are shared"
	}
	s.Facts.Add("prompts", counted(t.PromptTokens), shared)
	if t.MaxTokens > 0 {
		thinking := ""
		if len(t.Budgets) > 0 {
			thinking = "after thinking that is closed at " + budget.Listed(t.Budgets) + " tokens"
		}
		s.Facts.Add("completions", "at most "+format.Several(t.MaxTokens, "token")+" each", thinking)
	} else {
		s.Facts.Add("completions", "none", "the letters' probabilities behind each prompt")
	}
	if t.LogprobBytes > 0 {
		s.Facts.Add("log-probabilities", "about "+format.Size(int64(t.LogprobBytes), ""),
			format.Size(int64(t.LogprobBytes/t.Left), "")+" an answer, in logprobs.bin")
	}
	s.Facts.Add("asked as", t.Style, t.PromptMode+" prompt, marked by "+t.RuleSet)
	return s
}
