package runner

import (
	"context"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/metrics"
)

// sequence asks batch after batch, and after each looks whether the headline's interval is narrow enough. Looks that
// the journal holds already are not taken again: what they decided stands, also where failed items have since been
// answered.
func (p *Plan) sequence(ctx context.Context, model backends.Model, to *journal.Writer, resume *journal.Resume, watch func(*journal.Record)) error {
	taken := map[int]journal.Stop{}
	for _, look := range resume.Looks {
		taken[look.Number] = look.Stop
	}
	for i, batch := range p.batches {
		if err := p.ask(ctx, model, to, resume, watch, batch); err != nil {
			return err
		}
		stop, before := taken[i+1]
		if !before {
			look, err := p.look(to.Path(), i+1)
			if err != nil {
				return err
			}
			if err := to.AppendLook(look); err != nil {
				return err
			}
			if p.Looked != nil {
				p.Looked(&look)
			}
			stop = look.Stop
		}
		if stop != "" {
			return nil
		}
	}
	return nil
}

// look reports what the journal holds and decides by that: the interval is the one that the final report will show.
func (p *Plan) look(path string, number int) (journal.Look, error) {
	r, err := metrics.Open(path, metrics.Options{})
	if err != nil {
		return journal.Look{}, err
	}
	look := journal.Look{
		Number: number, Questions: r.Questions, Items: r.Items, Errors: r.Errors,
		RuleSet: r.RuleSet, Headline: r.Headline.Name, Confidence: r.Confidence,
	}
	if value, defined := r.Headline.Value.Get(); defined {
		look.Value = &value
	}
	width, defined := r.Headline.CI.HalfWidth().Get()
	if defined {
		look.HalfWidth = &width
	}
	switch {
	case defined && width <= p.header.Selection.UntilHalfWidth:
		look.Stop = journal.StopNarrow
	case number == len(p.batches):
		look.Stop = journal.StopAsked
	}
	return look, nil
}
