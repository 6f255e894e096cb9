package ask

import (
	"cmp"
	"context"
	"path/filepath"

	"proctor/backends"
	"proctor/runner/ask/budget"
	"proctor/runner/journal"
	"proctor/runner/journal/logprobs"
	"proctor/runner/mark/format"
	"proctor/runner/report"
	"proctor/runner/report/page"
)

// Foresee returns a page about what New and Run would do, without asking the model anything. It refuses whatever they
// would refuse.
func Foresee(ctx context.Context, o Options, evals Evals, open Opener) (page.Page, error) {
	p := page.Page{Title: "Dry run: nothing was asked, nothing is written"}
	s, err := newSession(o, evals)
	if err != nil {
		return p, err
	}
	if err := s.open(ctx, open); err != nil {
		return p, err
	}
	defer s.Close()
	if err := s.writePrompts(ctx); err != nil {
		return p, err
	}
	known, others := backends.Forecast{Source: "this backend gives no estimate"}, backends.Load{}
	if forecaster, ok := s.model.(backends.Forecaster); ok {
		work := s.workload()
		known, others, err = s.foresee(func() (backends.Forecast, error) { return forecaster.Forecast(ctx, work) })
		if err != nil {
			return p, err
		}
	}
	if s.info, err = s.model.Info(ctx); err != nil {
		return p, err
	}
	s.info.Engine.Context = known.Context
	s.Out = s.folder()
	files := page.Section{Title: "To be written"}
	for i, folder := range s.Folders() {
		section, err := s.plans[i].section()
		if err != nil {
			return p, err
		}
		p.Add(section)
		files.Notes = append(files.Notes, filepath.Join(folder, journal.FileName))
		for _, format := range report.Formats {
			files.Notes = append(files.Notes, report.Path(folder, format.Ext))
		}
	}
	m := page.Section{Title: "Model"}
	m.Facts.Add("model", s.info.Model.Title(), "given as "+s.info.Model.Ref)
	m.Facts.Add("plan", known.Description, "")
	if s.drawn != "" {
		m.Notes = append(m.Notes, s.drawn)
	}
	source := known.Source + taken(others)
	if takes := s.takes(known, others.Share); takes != "" {
		m.Facts.Add("time", takes, source)
	} else {
		m.Facts.Add("time", "unknown: "+source, "")
	}
	p.Add(m, files)
	if err := s.checkJournals(); err != nil {
		return p, err
	}
	return p, s.checkFit(known.Unfit)
}

// section shows what one task asks, before it is asked.
func (p *Plan) section() (page.Section, error) {
	s, h := page.Section{Title: "Task " + p.Task.String()}, &p.header
	items := format.Several(len(p.Items), "item")
	if left := p.left().items; left < len(p.Items) {
		items += ", " + format.Count(len(p.Items)-left) + " of them answered"
	}
	s.Facts.Add("to ask", format.Several(p.asks(), "question"), items)
	prompts, shared := "not counted: there is no tokenizer", ""
	if p.tokens != nil {
		lengths, err := p.tokens.Lengths()
		if err != nil {
			return s, err
		}
		added, err := p.tokens.New(p.order())
		if err != nil {
			return s, err
		}
		all, fresh := 0, 0
		for i, n := range lengths {
			all, fresh = all+n, fresh+added[i]
		}
		prompts, shared = format.Several(all, "token"), format.Count(fresh)+" of them to evaluate, the others are shared"
	}
	s.Facts.Add("prompts", prompts, shared)
	if most := h.Sampling.MaxTokens; most > 0 {
		thinking := ""
		if len(h.Budgets) > 0 {
			thinking = "after thinking that is closed at " + budget.Listed(h.Budgets) + " tokens"
		}
		s.Facts.Add("completions", "at most "+format.Several(most, "token")+" each", thinking)
	} else {
		s.Facts.Add("completions", "none", "the letters' probabilities behind each prompt")
	}
	if left := p.left().items; p.spec.KeepLogprobs && left > 0 {
		each := cmp.Or(p.length.Tokens, backends.AssumedOutput) * logprobs.BytesAToken
		s.Facts.Add("log-probabilities", "about "+format.Size(int64(left*each), ""),
			format.Size(int64(each), "")+" an answer, in logprobs.bin")
	}
	s.Facts.Add("asked as", h.Style, h.PromptMode+" prompt, marked by "+h.RuleSet)
	return s, nil
}
